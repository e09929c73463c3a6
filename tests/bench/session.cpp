// The cost of a session's next command: the policy is frozen and compiled once, then commands are started one after
// the other as the agent does it. A bare QProcess runs in turn with it.
//
//     session SPETTRO ROUNDS

#include "sandbox/SandboxedProcess.h"
#include "sandbox/linux/freezePolicy.h"

#include <QCoreApplication>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace spettro::sandbox;

namespace {

constexpr const char *Command = "/bin/true";

Result<CompiledPolicy> compilePolicy()
{
    Policy policy;
    policy.workspace = ".";
    policy.mode.value = FileSystemMode::WorkspaceWrite;
    policy.network.value.mode = NetworkMode::None;
    const Result<FrozenPolicy> frozen =
        freezePolicy(policy, {std::getenv("HOME"), "", HomeWorkspace::Refused});
    if (!frozen) {
        return frozen.error();
    }
    return CompiledPolicy::create(*frozen, probeHost(INT_MAX));
}

template<typename Run>
double millisecondsOf(Run run)
{
    const auto begin = std::chrono::steady_clock::now();
    if (!run()) {
        std::fprintf(stderr, "the command failed\n");
        std::exit(1);
    }
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

bool runBare()
{
    QProcess process;
    process.setStandardInputFile(QProcess::nullDevice());
    process.start(Command, {});
    return process.waitForFinished() && process.exitCode() == 0;
}

bool runConfined(const std::shared_ptr<const Launcher> &launcher)
{
    SandboxedProcess process(launcher);
    process.launch({{Command}, {"PATH=/usr/bin:/bin"}, {}, {}});
    return process.waitForFinished() && process.report() == RunReport{RunReport::Kind::Exited, 0, {}};
}

double middleOf(std::vector<double> values)
{
    std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    const int rounds = argc == 3 ? std::atoi(argv[2]) : 0;
    const Result<CompiledPolicy> policy = compilePolicy();
    const Result<ProgramImage> program = ProgramImage::load(argc > 1 ? argv[1] : "");
    if (rounds < 1 || !policy || !program) {
        const Error error = !policy ? policy.error() : !program ? program.error() : Error{};
        std::fprintf(stderr, "usage: session SPETTRO ROUNDS\n%s\n", error.message.c_str());
        return 2;
    }
    const auto launcher = std::make_shared<const Launcher>(Launcher{*policy, *program});
    std::vector<double> bare;
    std::vector<double> confined;
    for (int round = 0; round < rounds; ++round) {
        bare.push_back(millisecondsOf(runBare));
        confined.push_back(millisecondsOf([&launcher] { return runConfined(launcher); }));
    }
    std::printf("%-40s %9.2f ms\n", "bare", middleOf(bare));
    std::printf("%-40s %9.2f ms   %.2f times bare\n", "next command of a session", middleOf(confined),
                middleOf(confined) / middleOf(bare));
    return 0;
}
