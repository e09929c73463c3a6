#pragma once

#include <sys/stat.h>

namespace spettro {

/// Gives a new file what a file that it is to replace has: owner and group (as far as this process may), mode,
/// extended attributes and with them access control lists. Returns 0 or the error number of what must not be left out
/// (mode, access control list); `*lostOwner` says whether owner or group had to be.
int copyAttributes(int from, const struct stat &fromStatus, int to, bool *lostOwner);

} // namespace spettro
