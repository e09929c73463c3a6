// The cost of ScopeGuard on a path, beside a plain open(2) of the same file.
//
//     scope ROUNDS        (in a folder below the home folder)

#include "sandbox/linux/freezePolicy.h"
#include "tools/ScopeGuard.h"

#include <QDir>
#include <QFile>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace spettro;
using namespace spettro::sandbox;

namespace {

constexpr const char *Relative = "one/two/three/four/file";

Result<FrozenPolicy> freeze()
{
    Policy policy;
    policy.workspace = QDir::currentPath().toStdString();
    policy.mode.value = FileSystemMode::WorkspaceWrite;
    return freezePolicy(policy, {std::getenv("HOME"), "", HomeWorkspace::Refused});
}

template<typename Act>
double microsecondsOf(Act act)
{
    const auto begin = std::chrono::steady_clock::now();
    act();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

double middleOf(std::vector<double> values)
{
    std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

void require(bool holds, const char *what)
{
    if (!holds) {
        std::fprintf(stderr, "%s failed\n", what);
        std::exit(1);
    }
}

} // namespace

int main(int argc, char **argv)
{
    const int rounds = argc == 2 ? std::atoi(argv[1]) : 0;
    require(rounds > 0, "usage: scope ROUNDS");
    QDir().mkpath("one/two/three/four");
    QFile file(Relative);
    require(file.open(QIODevice::WriteOnly), "making a file");
    const Result<FrozenPolicy> policy = freeze();
    require(bool(policy), "freezing the policy");
    const ToolOutcome<ScopeGuard> guard = ScopeGuard::create(*policy);
    require(bool(guard), "creating the guard");
    const QByteArray absolute = QFile::encodeName(QDir::current().filePath(Relative));

    std::vector<double> plain;
    std::vector<double> reading;
    std::vector<double> absoluteReading;
    std::vector<double> writing;
    for (int round = 0; round < rounds; ++round) {
        plain.push_back(microsecondsOf([] {
            const int descriptor = ::open(Relative, O_RDONLY | O_CLOEXEC);
            require(descriptor >= 0, "open");
            ::close(descriptor);
        }));
        reading.push_back(
            microsecondsOf([&] { require(bool(guard->open(Relative, Access::Read)), "read"); }));
        absoluteReading.push_back(
            microsecondsOf([&] { require(bool(guard->open(absolute, Access::Read)), "read"); }));
        writing.push_back(
            microsecondsOf([&] { require(bool(guard->open(Relative, Access::Write)), "write"); }));
    }
    const auto print = [&plain](const char *name, const std::vector<double> &values) {
        std::printf("%-40s %8.2f us  %8.2f us more  %6.2f times\n", name, middleOf(values),
                    middleOf(values) - middleOf(plain), middleOf(values) / middleOf(plain));
    };
    print("plain open, five components", plain);
    print("ScopeGuard, to read", reading);
    print("ScopeGuard, to read, absolute", absoluteReading);
    print("ScopeGuard, to write", writing);
    return 0;
}
