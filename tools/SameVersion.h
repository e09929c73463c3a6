#pragma once

#include <sys/stat.h>

namespace spettro {

/// 0 where the file by this name is still the one that was seen, with nothing written to it since, as far as its status
/// tells; ESTALE where it is not; else the error number.
int checkVersion(int folder, const char *name, const struct stat &expected);

} // namespace spettro
