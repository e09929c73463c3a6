#pragma once

#include <array>
#include <string_view>

namespace spettro {

/// The tools that every session can offer, as `builtinTools()` has them. A list of its own, since who reads a manifest
/// need not be able to run a tool; a test compares the two.
inline constexpr std::array<std::string_view, 10> OwnTools{
    "file-read", "file-write", "file-edit", "ls",         "glob",
    "grep",      "shell-exec", "bash",      "job-output", "job-kill",
};

/// Whether this is one of `OwnTools`.
bool isOwnTool(std::string_view id);

/// Whether a manifest may speak of this tool although nothing of it can be set here: the original Spettro has it.
bool isForeignTool(std::string_view id);

} // namespace spettro
