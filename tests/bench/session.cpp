// The cost of a session's next command: the policy is frozen and compiled once, then commands are started one after
// the other by re-executing spettro, as a program that goes on meanwhile does it. A bare start runs in turn with it.
//
//     session SPETTRO ROUNDS

#include "sandbox/child/runChildIfRequested.h"
#include "sandbox/linux/freezePolicy.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

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

pid_t startBare()
{
    pid_t child = -1;
    char *const arguments[] = {const_cast<char *>(Command), nullptr};
    ::posix_spawn(&child, Command, nullptr, nullptr, arguments, environ);
    return child;
}

template<typename Start>
double millisecondsOf(Start start)
{
    const auto begin = std::chrono::steady_clock::now();
    int status = 0;
    ::waitpid(start(), &status, 0);
    if (status != 0) {
        std::fprintf(stderr, "the command failed with status %d\n", status);
        std::exit(1);
    }
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double middleOf(std::vector<double> values)
{
    std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

} // namespace

int main(int argc, char **argv)
{
    const int rounds = argc == 3 ? std::atoi(argv[2]) : 0;
    const Result<CompiledPolicy> policy = compilePolicy();
    if (rounds < 1 || !policy) {
        std::fprintf(stderr, "%s\n",
                     policy ? "usage: session SPETTRO ROUNDS" : policy.error().message.c_str());
        return 2;
    }
    const StageRequest request = makeStageRequest(*policy, {Command}, {"PATH=/usr/bin:/bin"});
    std::vector<double> bare;
    std::vector<double> confined;
    for (int round = 0; round < rounds; ++round) {
        bare.push_back(millisecondsOf(startBare));
        confined.push_back(millisecondsOf([&] { return startConfined(argv[1], request).value(); }));
    }
    std::printf("%-40s %9.2f ms\n", "bare", middleOf(bare));
    std::printf("%-40s %9.2f ms   %.2f times bare\n", "next command of a session", middleOf(confined),
                middleOf(confined) / middleOf(bare));
    return 0;
}
