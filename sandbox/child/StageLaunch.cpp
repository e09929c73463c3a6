#include "sandbox/child/StageLaunch.h"

#include "sandbox/child/runChildIfRequested.h"
#include "sandbox/linux/SystemError.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace spettro::sandbox {

Result<StageLaunch> planLaunch(StageRequest request)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        return systemError(ErrorKind::Unenforceable, "pipe2", errno);
    }
    StageLaunch launch;
    launch.reportReader = Descriptor(ends[0]);
    launch.kept.emplace_back(ends[1]);
    request.reportPipe = ends[1];

    Result<Descriptor> packed = packStageRequest(request);
    if (!packed) {
        return packed.error();
    }
    launch.kept.push_back(std::move(packed).value());
    const int file = launch.kept.back().number();
    launch.variable = std::string(StageVariable) + '=' + std::to_string(file);
    for (const int descriptor : {file, request.ruleset, request.workingDirectory, request.reportPipe}) {
        if (descriptor >= 0) {
            launch.inherited.push_back(descriptor);
        }
    }
    return launch;
}

} // namespace spettro::sandbox
