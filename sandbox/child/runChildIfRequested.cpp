#include "sandbox/child/runChildIfRequested.h"

#include "sandbox/child/ExitCode.h"
#include "sandbox/child/superviseCommand.h"

#include <sys/prctl.h>

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

} // namespace

void runChildIfRequested()
{
    const char *value = std::getenv(StageVariable);
    if (value == nullptr) {
        return;
    }
    ::prctl(PR_SET_NAME, "spettro"); // started from memory, it would be named after a descriptor
    const Result<StageRequest> request = unpackStageRequest(descriptorIn(value));
    if (!request) {
        std::fprintf(stderr, "spettro: nothing was run: %s\n", request.error().message.c_str());
        std::_Exit(ExitUnenforceable);
    }
    std::_Exit(superviseCommand(*request));
}

} // namespace spettro::sandbox
