#include "app/AcceptCommand.h"

#include "app/config/AcceptedManifests.h"
#include "app/config/ManifestFile.h"
#include "app/config/PolicyLoader.h"
#include "sandbox/linux/HostPath.h"

#include <cstdio>
#include <cstdlib>

namespace spettro {

using namespace sandbox;

int acceptCommand(const CommandLine &line)
{
    const Result<LoadedManifest> manifest = loadManifest(line.policy, ManifestPart::Everything);
    if (!manifest) {
        return reportError(manifest.error());
    }
    const Result<Root> workspace =
        openRealRoot(manifest->workspace, Grant::Read, {Origin::Kind::Default, "workspace"});
    if (!workspace) {
        return reportError(workspace.error());
    }
    const char *home = std::getenv("HOME");
    if (home == nullptr || *home != '/') {
        return reportError({ErrorKind::Usage, "HOME is not set: there is no place to remember this", 0});
    }
    for (const std::string &warning : manifest->agents.warnings) {
        std::fprintf(stderr, "spettro: warning: %s\n", warning.c_str());
    }
    const Result<std::string> file = AcceptedManifests(home).accept(workspace->path, manifest->widenings);
    if (!file) {
        return reportError(file.error());
    }
    if (manifest->widenings.empty()) {
        std::printf("%s in %s widens nothing.\n", ManifestName, workspace->path.c_str());
        return 0;
    }
    std::printf("Accepted for %s:\n", workspace->path.c_str());
    for (const std::string &widening : manifest->widenings) {
        std::printf("  %s\n", widening.c_str());
    }
    std::printf("Remembered in %s; delete that file to take it back.\n", file->c_str());
    return 0;
}

} // namespace spettro
