#include "sandbox/plan/SystemPaths.h"

namespace spettro::sandbox {

namespace {

constexpr std::string_view ReadPaths[] = {
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/proc",
    // Of /sys: what describes the machine. Left out: debugging and tracing, firmware variables, security.
    "/sys/block",
    "/sys/bus",
    "/sys/class",
    "/sys/dev",
    "/sys/devices",
    "/sys/fs",
    "/sys/kernel/mm",
    "/sys/module",
    // Of /var: what installed software has generated for its users. Left out: spool, mail, logs, backups, databases.
    "/var/cache/dictionaries-common",
    "/var/cache/fontconfig",
    "/var/cache/man",
    "/var/lib/apt",
    "/var/lib/ca-certificates-java",
    "/var/lib/dictionaries-common",
    "/var/lib/dpkg",
    "/var/lib/flatpak",
    "/var/lib/gems",
    "/var/lib/ghc",
    "/var/lib/sgml-base",
    "/var/lib/snapd",
    "/var/lib/tex-common",
    "/var/lib/texmf",
    "/var/lib/xml-core",
    // Of /run: what name lookup and device lookup read. Left out: sockets, user folders, everything else.
    "/run/NetworkManager/no-stub-resolv.conf",
    "/run/NetworkManager/resolv.conf",
    "/run/resolvconf",
    "/run/systemd/resolve",
    "/run/udev/data",
};

constexpr WithheldPath Withheld[] = {
    {"/etc", "shadow*"},
    {"/etc", "gshadow*"},
    {"/etc", "sudoers*"},
    {"/etc", "*.keytab"},
    {"/etc", "wireguard"},
    {"/etc", "letsencrypt"},
    {"/etc", "kubernetes"},
    {"/etc", "rancher"},
    {"/etc/ssh", "*_key"},
    {"/etc/ssl", "private"},
    {"/etc/security", "opasswd"},
    {"/etc/apt", "auth.conf*"},
    {"/etc/NetworkManager", "system-connections"},
    {"/etc/mysql", "debian.cnf"},
};

constexpr std::string_view Devices[] = {
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts",
};

constexpr std::string_view Temporary[] = {"/tmp", "/var/tmp", "/dev/shm"};

// git ends with "unknown error occurred while reading the configuration files" where its settings exist and
// cannot be opened, and finds the committer's name there; it ends likewise over a file that they name as included
// or as the list of ignored names. ~/.git-credentials is not among them.
// cargo ends with "could not load Cargo configuration". ~/.cargo/credentials.toml is not among them.
constexpr std::string_view HomeFiles[] = {
    ".gitconfig",        ".gitconfig.local", ".config/git",        ".gitignore",
    ".gitignore_global", ".cargo/config",    ".cargo/config.toml",
};

} // namespace

std::span<const std::string_view> systemReadPaths()
{
    return ReadPaths;
}

std::span<const WithheldPath> withheldPaths()
{
    return Withheld;
}

std::span<const std::string_view> deviceNodes()
{
    return Devices;
}

std::span<const std::string_view> temporaryPaths()
{
    return Temporary;
}

std::span<const std::string_view> homeReadPaths()
{
    return HomeFiles;
}

} // namespace spettro::sandbox
