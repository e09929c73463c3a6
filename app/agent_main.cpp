#include "app/CallCommand.h"
#include "app/ConnectCommand.h"
#include "app/GoalCommand.h"
#include "app/ModelsCommand.h"
#include "app/SessionsCommand.h"
#include "app/config/CommandLine.h"
#include "app/hideArguments.h"
#include "sandbox/child/ExitCode.h"

#include <QCoreApplication>

#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

int carryOut(const spettro::CommandLine &line)
{
    switch (line.verb) {
    case spettro::Verb::Goal:
        return spettro::goalCommand(line);
    case spettro::Verb::Call:
        return spettro::callCommand(line);
    case spettro::Verb::Sessions:
        return spettro::sessionsCommand(line);
    case spettro::Verb::Connect:
        return spettro::connectCommand(line);
    case spettro::Verb::Models:
        return spettro::modelsCommand(line);
    default: // belongs to `spettro`, which starts this program for nothing else
        std::fputs("spettro-agent: started by hand; use 'spettro'\n", stderr);
        return spettro::sandbox::ExitUsage;
    }
}

} // namespace

int main(int argc, char **argv)
{
    // The environment holds the model's keys; commands may share the user.
    ::prctl(PR_SET_DUMPABLE, 0);
    // A file size limit is an error of write(2), not the end. A handler, because ignoring would be inherited.
    std::signal(SIGXFSZ, [](int) {});
    const spettro::ParsedCommandLine parsed = spettro::parseCommandLine(argc, argv);
    if (!parsed.commandLine) {
        return parsed.exitCode;
    }
    spettro::hideArguments(argc, argv);
    int exitCode = 0;
    {
        const QCoreApplication application(argc, argv);
        exitCode = carryOut(*parsed.commandLine);
    }
    std::fflush(nullptr);
    std::_Exit(exitCode); // nothing is left to tidy that the kernel does not give back faster
}
