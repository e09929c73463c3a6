#include "sandbox/plan/SystemPaths.h"

namespace spettro::sandbox {

namespace {

constexpr std::string_view ReadPaths[] = {
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/proc", "/sys",
    // Of /var: state and caches of installed software. Left out: spool, mail, backups, log, crash.
    "/var/lib", "/var/cache", "/var/local", "/var/opt",
    // Of /run: what name lookup and device lookup read. Left out: sockets, user folders, everything else.
    "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf",
    "/run/NetworkManager/no-stub-resolv.conf", "/run/udev/data",
};

constexpr WithheldPath Withheld[] = {
    {"/etc", "shadow*"},
    {"/etc", "gshadow*"},
    {"/etc", "sudoers*"},
    {"/etc", "*.keytab"},
    {"/etc", "wireguard"},
    {"/etc/ssh", "*_key"},
    {"/etc/ssl", "private"},
    {"/etc/security", "opasswd"},
    {"/etc/apt", "auth.conf*"},
    {"/etc/NetworkManager", "system-connections"},
    {"/etc/letsencrypt", "archive"},
    {"/etc/letsencrypt", "live"},
    {"/etc/letsencrypt", "keys"},
    {"/etc/letsencrypt", "accounts"},
    {"/etc/mysql", "debian.cnf"},
    {"/etc/kubernetes", "*"},
    {"/etc/rancher", "*"},
    {"/sys/kernel", "debug"},
    {"/sys/kernel", "tracing"},
    {"/sys/kernel", "security"},
    {"/sys/firmware/efi", "efivars"},
    {"/var/lib", "docker"},
    {"/var/lib", "containerd"},
    {"/var/lib", "containers"},
    {"/var/lib", "kubelet"},
    {"/var/lib", "rancher"},
    {"/var/lib", "NetworkManager"},
    {"/var/lib", "private"},
    {"/var/lib", "cloud"},
    {"/var/lib", "sss"},
    {"/var/lib", "shim-signed"},
    {"/var/lib", "postgresql"},
    {"/var/lib", "mysql"},
    {"/var/lib", "redis"},
    {"/var/cache/debconf", "passwords.dat*"},
};

constexpr std::string_view Devices[] = {
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts",
};

constexpr std::string_view Temporary[] = {"/tmp", "/var/tmp", "/dev/shm"};

// git ends with "unknown error occurred while reading the configuration files" where its settings exist and
// cannot be opened, and finds the committer's name there. ~/.git-credentials is not among them.
constexpr std::string_view HomeFiles[] = {".gitconfig", ".config/git"};

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
