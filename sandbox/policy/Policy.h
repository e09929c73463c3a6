#pragma once

#include "sandbox/policy/Result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spettro::sandbox {

/// What a command may do to files.
enum class FileSystemMode {
    Off,            ///< Not confined.
    WorkspaceWrite, ///< Writes: workspace, temporary folders, extra roots. Reads: those, system, read roots.
    ReadOnly,       ///< As WorkspaceWrite, but the workspace is not writable.
};

/// What a command may do to the network.
enum class NetworkMode {
    All,       ///< Not confined.
    Localhost, ///< Loopback only.
    None,      ///< No network at all.
    Ports,     ///< TCP on the listed ports, any host.
};

/// Whether the files by which a repository steers programs on the host (git's hooks and settings, those of editors and
/// agents, Spettro's own) may be changed by the file tools.
enum class Steering { Protected, Allowed };

/// A network mode with the ports that `NetworkMode::Ports` names.
struct Network
{
    NetworkMode mode = NetworkMode::All;
    std::vector<std::uint16_t> ports; ///< Ascending, without repeats; empty unless mode is Ports.

    bool operator==(const Network &) const = default;
};

/// Reads `off`, `full-access`, `workspace-write` or `read-only`; anything else is a usage error.
Result<FileSystemMode> parseFileSystemMode(std::string_view text);

/// Reads `all`, `localhost`, `none` or `ports:N,N`; a port is 1 to 65535, the list is not empty.
Result<Network> parseNetwork(std::string_view text);

/// Reads the name of an environment variable, `[A-Za-z_][A-Za-z0-9_]*`; anything else is a usage error.
Result<std::string> parseVariableName(std::string_view text);

/// The spelling that `parseFileSystemMode` reads back.
std::string_view toText(FileSystemMode mode);

/// `protected` or `allowed`.
std::string_view toText(Steering steering);

/// The spelling that `parseNetwork` reads back.
std::string toText(const Network &network);

/// Where a value of the policy comes from, for `explain` and for errors.
struct Origin
{
    enum class Kind { Default, Flag, Manifest, System };
    Kind kind = Kind::Default;
    std::string place; ///< `--sandbox-net`, `spettro.agents.toml:4:1`, or empty for a default.

    bool operator==(const Origin &) const = default;
};

/// The place of a flag or a manifest key; `default` and `system`, with the place if there is one, for the
/// rest.
std::string toText(const Origin &origin);

/// A value together with where it was set.
template<typename T>
struct Sourced
{
    T value{};
    Origin origin;

    bool operator==(const Sourced &) const = default;
};

/// What one source (the flags, or the manifest) says; a key that it does not name is absent.
/// Folders are absolute, with `~` expanded; nothing here has touched the file system.
struct PolicySettings
{
    std::optional<Sourced<FileSystemMode>> mode;
    std::optional<Sourced<Network>> network;
    std::vector<Sourced<std::string>> writableDirs;
    std::vector<Sourced<std::string>> readableDirs;
    std::vector<Sourced<std::string>> allowedVariables;
    std::optional<Sourced<Steering>> steering;

    bool operator==(const PolicySettings &) const = default;
};

/// The policy that was asked for: both sources merged, before any path has been opened.
struct Policy
{
    std::string workspace; ///< Absolute path as the operator named it.
    Sourced<FileSystemMode> mode;
    Sourced<Network> network;
    std::vector<Sourced<std::string>> writableDirs;
    std::vector<Sourced<std::string>> readableDirs;
    std::vector<Sourced<std::string>> allowedVariables;
    Sourced<Steering> steering;

    bool operator==(const Policy &) const = default;
};

/// Merges the sources: flags beat the manifest key by key, lists are united (flags first, repeats dropped),
/// what neither names is the default (nothing confined).
Policy mergePolicy(std::string workspace, const PolicySettings &flags, const PolicySettings &manifest);

/// Makes a folder from a flag or a manifest absolute: `~` and `~/x` are taken below `home`, a relative path
/// below `base`. An empty text, a NUL byte, `~user` and a `~` without a home are usage errors. Empty and `.`
/// components are dropped; `..` stays, because only the kernel knows what it means beside links.
Result<std::string> absolutePath(std::string_view text, std::string_view base, std::string_view home);

} // namespace spettro::sandbox
