#include "sandbox/child/runChildIfRequested.h"

#include "sandbox/child/ExitCode.h"
#include "sandbox/child/superviseCommand.h"
#include "sandbox/linux/SystemError.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace spettro::sandbox {

namespace {

int descriptorIn(const char *text)
{
    int number = -1;
    const char *end = text + std::strlen(text);
    const std::from_chars_result result = std::from_chars(text, end, number);
    return result.ec == std::errc() && result.ptr == end ? number : -1;
}

/// A copy of a descriptor that a child inherits; the child closes it again before the command runs.
Descriptor inheritable(int number)
{
    return Descriptor(number < 0 ? -1 : ::fcntl(number, F_DUPFD, STDERR_FILENO + 1));
}

} // namespace

void runChildIfRequested()
{
    const char *value = std::getenv(StageVariable);
    if (value == nullptr) {
        return;
    }
    const Result<StageRequest> request = unpackStageRequest(descriptorIn(value));
    if (!request) {
        std::fprintf(stderr, "spettro: nothing was run: %s\n", request.error().message.c_str());
        std::_Exit(ExitUnenforceable);
    }
    std::_Exit(superviseCommand(*request));
}

Result<pid_t> startConfined(const std::string &executable, const StageRequest &request)
{
    StageRequest inherited = request;
    const Descriptor ruleset = inheritable(request.ruleset);
    const Descriptor workingDirectory = inheritable(request.workingDirectory);
    inherited.ruleset = ruleset.number();
    inherited.workingDirectory = workingDirectory.number();
    const Result<Descriptor> packed = packStageRequest(inherited);
    if (!packed) {
        return packed.error();
    }
    const Descriptor file = inheritable(packed->number());
    if (!file || !workingDirectory || (request.ruleset >= 0 && !ruleset)) {
        return systemError(ErrorKind::Unenforceable, "fcntl F_DUPFD", errno);
    }
    const std::string variable = std::string(StageVariable) + '=' + std::to_string(file.number());
    char *const arguments[] = {const_cast<char *>("spettro"), nullptr};
    char *const environment[] = {const_cast<char *>(variable.c_str()), nullptr};
    pid_t child = -1;
    if (const int error =
            ::posix_spawn(&child, executable.c_str(), nullptr, nullptr, arguments, environment)) {
        return systemError(ErrorKind::Unenforceable, executable, error);
    }
    return child;
}

} // namespace spettro::sandbox
