#pragma once

#include <span>
#include <string_view>

namespace spettro::sandbox {

/// A place below which everything may be read, whatever the workspace. Missing ones are passed over.
std::span<const std::string_view> systemReadPaths();

/// A place that a system path contains and that stays closed: `name` (with `*` as in fnmatch(3)) in `folder`.
struct WithheldPath
{
    std::string_view folder;
    std::string_view name;
};

/// Secrets inside the system paths, which only root can read: withheld from commands that run as root.
std::span<const WithheldPath> withheldPaths();

/// Device nodes (and folders of them) that ordinary programs open for reading and writing.
std::span<const std::string_view> deviceNodes();

/// Folders for temporary files and shared memory: writable under every confined mode.
std::span<const std::string_view> temporaryPaths();

/// Files below the home folder that stay readable, because a program in everyday use ends with an error where
/// they exist and cannot be opened; relative to the home folder.
std::span<const std::string_view> homeReadPaths();

} // namespace spettro::sandbox
