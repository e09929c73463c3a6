#pragma once

#include "sandbox/policy/FrozenPolicy.h"

#include <string>
#include <string_view>
#include <vector>

namespace spettro::sandbox {

/// Whether symbolic links in the last component of a path are followed.
enum class LastLink { Follow, Refuse };

/// Takes an open descriptor over: it is closed with its last owner.
SharedDescriptor shareDescriptor(int number);

/// Opens a path as a root (`O_PATH`) and records its identity; `path` becomes the root's path as it is given.
/// The error's kind is Usage where the path does not exist, else Unenforceable.
Result<Root> openRoot(const std::string &path, Grant grant, Origin origin, LastLink lastLink);

/// As `openRoot`, following links, with the real path as the root's path. An error begins with the place that
/// `origin` names.
Result<Root> openRealRoot(const std::string &path, Grant grant, const Origin &origin);

/// The path by which the kernel knows an open descriptor (`/proc/self/fd`), or an error where it has none.
Result<std::string> realPathOf(int descriptor);

/// The real paths of the folders that hold the symbolic links by which an absolute path is reached.
std::vector<std::string> foldersOfLinks(const std::string &path);

/// Whether `path` is `folder` or lies beneath it, component by component. Both absolute and without `.` and `..`.
bool isBeneath(std::string_view path, std::string_view folder);

} // namespace spettro::sandbox
