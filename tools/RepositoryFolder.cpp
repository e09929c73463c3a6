#include "tools/RepositoryFolder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <string>

namespace spettro {

bool isRepositoryFolder(int folder, const char *path)
{
    const auto has = [&](const char *name) {
        struct stat status;
        return ::fstatat(folder, (path + std::string(name)).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    };
    return has("HEAD") && has("objects") && has("refs");
}

} // namespace spettro
