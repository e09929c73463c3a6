#include "app/config/StateFolder.h"

#include "sandbox/linux/SystemError.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>

namespace spettro {

using namespace sandbox;

Result<std::string> createStateFolder()
{
    const char *home = std::getenv("HOME");
    if (home == nullptr || *home != '/') {
        return Error{ErrorKind::Usage, "HOME is not set: there is no place for ~/.spettro", 0};
    }
    const std::string folder = std::string(home) + "/.spettro";
    for (const std::string &path : {folder, folder + "/outputs"}) {
        if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
            return systemError(ErrorKind::Usage, "mkdir " + path, errno);
        }
    }
    return folder;
}

} // namespace spettro
