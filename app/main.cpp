#include "app/AcceptCommand.h"
#include "app/DoctorCommand.h"
#include "app/ExecCommand.h"
#include "app/ExplainCommand.h"
#include "app/becomeAgent.h"
#include "app/config/CommandLine.h"
#include "app/hideArguments.h"
#include "sandbox/child/runChildIfRequested.h"
#include "sandbox/doctor/Probe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

int carryOut(const spettro::CommandLine &line, int argc, char **argv)
{
    switch (line.verb) {
    case spettro::Verb::Exec:
        spettro::hideArguments(argc, argv);
        return spettro::execCommand(line);
    case spettro::Verb::Goal:
    case spettro::Verb::Call:
    case spettro::Verb::Sessions:
    case spettro::Verb::Connect:
    case spettro::Verb::Models:
        return spettro::becomeAgent(argv);
    case spettro::Verb::Doctor:
        return spettro::doctorCommand(line);
    case spettro::Verb::Explain:
        return spettro::explainCommand(line);
    case spettro::Verb::Accept:
        return spettro::acceptCommand(line);
    }
    return 0;
}

/// Opens /dev/null for standard streams that are closed, so that no root or file that is opened later becomes one.
void occupyStandardStreams()
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
        if (::fcntl(stream, F_GETFD) < 0) {
            ::open("/dev/null", O_RDWR); // takes the lowest free number, which is this one
        }
    }
}

} // namespace

int main(int argc, char **argv)
{
    spettro::sandbox::runChildIfRequested();
    if (const std::optional<int> code = spettro::sandbox::runProbeIfRequested(argc, argv)) {
        return *code;
    }
    occupyStandardStreams();
    const spettro::ParsedCommandLine parsed = spettro::parseCommandLine(argc, argv);
    const int exitCode = parsed.commandLine ? carryOut(*parsed.commandLine, argc, argv) : parsed.exitCode;
    std::fflush(nullptr);
    std::_Exit(exitCode); // nothing is left to tidy that the kernel does not give back faster
}
