#include "sandbox/doctor/Probe.h"

#include "sandbox/doctor/ProbeActs.h"
#include "sandbox/linux/SystemError.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace spettro::sandbox {

namespace {

constexpr int ExitFailed = 1;
constexpr int ExitNoSuchAct = 2;

const ProbeAct *findAct(std::string_view name)
{
    for (const std::span<const ProbeAct> acts : {fileActs(), socketActs(), processActs()}) {
        for (const ProbeAct &act : acts) {
            if (act.name == name) {
                return &act;
            }
        }
    }
    return nullptr;
}

} // namespace

std::optional<int> runProbeIfRequested(int argc, char **argv)
{
    if (argc < 2 || std::strcmp(argv[1], ProbeArgument) != 0) {
        return std::nullopt;
    }
    const std::vector<std::string> arguments(argv + std::min(argc, 3), argv + argc);
    const ProbeAct *act = argc > 2 ? findAct(argv[2]) : nullptr;
    if (act == nullptr || arguments.size() < act->argumentCount) {
        return ExitNoSuchAct;
    }
    const int error = act->carryOut(arguments);
    if (error != 0) {
        std::fprintf(stderr, "%s\n", errorText(error).c_str());
    }
    [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, ProbeMarker.data(), ProbeMarker.size());
    return error == 0 ? 0 : ExitFailed;
}

} // namespace spettro::sandbox
