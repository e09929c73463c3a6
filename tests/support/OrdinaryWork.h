#pragma once

#include <QByteArray>
#include <QStringList>

/// Everyday jobs that have to run under the sandbox as if it were not there. A test class has rows of jobs:
///
///     void works_data() { addWorkColumns(); addWork("sed", {.programs = {"sed"}, .script = ..., .output = ...}); }
///     void works() { checkWork(); }
namespace spettro::test {

struct Work
{
    QStringList programs;       ///< What has to be installed.
    QByteArray script;          ///< For bash, with -e, -u and pipefail.
    QByteArray output;          ///< What it prints, exactly.
    QByteArray file = {};       ///< A file that it leaves in its working folder...
    QByteArray content = {};    ///< ... with this content, as the host sees it.
    QByteArray knownNoise = {}; ///< A regular expression: lines on standard error that are expected.
};

void addWorkColumns();

/// Adds the job twice: under workspace-write in the workspace, under read-only in the folder for temporary files.
void addWork(const char *name, const Work &work);

/// Runs the job of the current row without a network: exit code 0, exactly the output, nothing on standard error,
/// the file on the host, and under read-only nothing changed in the workspace.
void checkWork();

} // namespace spettro::test
