#include "sandbox/plan/BpfBuilder.h"
#include "sandbox/plan/SyscallFilter.h"
#include "tests/support/BpfInterpreter.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace spettro::sandbox;

// Numbers are spelled out here, from the kernel's tables and headers, so that a slip in the planner's own
// constants shows.
namespace {

constexpr std::uint32_t X86_64 = 0xc000003e;
constexpr std::uint32_t Aarch64 = 0xc00000b7;
constexpr std::uint32_t I386 = 0x40000003;
constexpr std::uint32_t Arm = 0x40000028;

constexpr std::uint32_t Allow = 0x7fff0000;
constexpr std::uint32_t Kill = 0x80000000;
constexpr std::uint32_t Errno = 0x00050000;
constexpr std::uint32_t Eperm = Errno + 1;
constexpr std::uint32_t Enoent = Errno + 2;
constexpr std::uint32_t Eacces = Errno + 13;
constexpr std::uint32_t Enosys = Errno + 38;
constexpr std::uint32_t Eprotonosupport = Errno + 93;
constexpr std::uint32_t Eopnotsupp = Errno + 95;
constexpr std::uint32_t Eafnosupport = Errno + 97;

/// An argument of 64 bits that counts as a whole.
constexpr std::uint64_t Upper = 0xdeadbeef00000000;

struct Numbers
{
    int x86_64;
    int aarch64; ///< -1: no such call.
};

const std::map<std::string, Numbers> &numbers()
{
    static const std::map<std::string, Numbers> table = {
        {"read", {0, 63}},
        {"write", {1, 64}},
        {"open", {2, -1}},
        {"mmap", {9, 222}},
        {"ioctl", {16, 29}},
        {"socket", {41, 198}},
        {"connect", {42, 203}},
        {"sendto", {44, 206}},
        {"sendmsg", {46, 211}},
        {"bind", {49, 200}},
        {"listen", {50, 201}},
        {"socketpair", {53, 199}},
        {"setsockopt", {54, 208}},
        {"clone", {56, 220}},
        {"execve", {59, 221}},
        {"kill", {62, 129}},
        {"truncate", {76, 45}},
        {"ftruncate", {77, 46}},
        {"creat", {85, -1}},
        {"ptrace", {101, 117}},
        {"syslog", {103, 116}},
        {"vhangup", {153, 58}},
        {"pivot_root", {155, 41}},
        {"adjtimex", {159, 171}},
        {"chroot", {161, 51}},
        {"acct", {163, 89}},
        {"settimeofday", {164, 170}},
        {"mount", {165, 40}},
        {"umount2", {166, 39}},
        {"swapon", {167, 224}},
        {"swapoff", {168, 225}},
        {"reboot", {169, 142}},
        {"sethostname", {170, 161}},
        {"setdomainname", {171, 162}},
        {"iopl", {172, -1}},
        {"ioperm", {173, -1}},
        {"init_module", {175, 105}},
        {"delete_module", {176, 106}},
        {"quotactl", {179, 60}},
        {"futex", {202, 98}},
        {"clock_settime", {227, 112}},
        {"kexec_load", {246, 104}},
        {"add_key", {248, 217}},
        {"request_key", {249, 218}},
        {"keyctl", {250, 219}},
        {"openat", {257, 56}},
        {"unshare", {272, 97}},
        {"perf_event_open", {298, 241}},
        {"prlimit64", {302, 261}},
        {"open_by_handle_at", {304, 265}},
        {"sendmmsg", {307, 269}},
        {"setns", {308, 268}},
        {"finit_module", {313, 273}},
        {"seccomp", {317, 277}},
        {"kexec_file_load", {320, 294}},
        {"bpf", {321, 280}},
        {"userfaultfd", {323, 282}},
        {"io_uring_setup", {425, 425}},
        {"io_uring_enter", {426, 426}},
        {"io_uring_register", {427, 427}},
        {"open_tree", {428, 428}},
        {"move_mount", {429, 429}},
        {"fsopen", {430, 430}},
        {"fsconfig", {431, 431}},
        {"fsmount", {432, 432}},
        {"fspick", {433, 433}},
        {"clone3", {435, 435}},
        {"openat2", {437, 437}},
        {"pidfd_getfd", {438, 438}},
        {"mount_setattr", {442, 442}},
        {"quotactl_fd", {443, 443}},
        {"landlock_restrict_self", {446, 446}},
        {"open_tree_attr", {467, 467}},
        {"file_setattr", {469, 469}},
    };
    return table;
}

std::uint32_t nativeArchitecture(Architecture architecture)
{
    return architecture == Architecture::X86_64 ? X86_64 : Aarch64;
}

int numberOf(const std::string &name, Architecture architecture)
{
    const Numbers &entry = numbers().at(name);
    return architecture == Architecture::X86_64 ? entry.x86_64 : entry.aarch64;
}

/// The names by number, empty for one that is not in the table.
std::array<std::string, 470> namesOf(Architecture architecture)
{
    std::array<std::string, 470> names;
    for (const auto &[name, entry] : numbers()) {
        const int number = numberOf(name, architecture);
        if (number >= 0) {
            names[static_cast<std::size_t>(number)] = name;
        }
    }
    return names;
}

const std::string &nameOf(std::uint32_t number, Architecture architecture)
{
    static const std::array<std::string, 470> x86_64 = namesOf(Architecture::X86_64);
    static const std::array<std::string, 470> aarch64 = namesOf(Architecture::Aarch64);
    return (architecture == Architecture::X86_64 ? x86_64 : aarch64)[number];
}

std::vector<FilterOptions> allOptions()
{
    std::vector<FilterOptions> all;
    for (const Architecture architecture : {Architecture::X86_64, Architecture::Aarch64}) {
        for (const NetworkMode network :
             {NetworkMode::All, NetworkMode::Localhost, NetworkMode::None, NetworkMode::Ports}) {
            for (const UnixSockets unixSockets : {UnixSockets::Refused, UnixSockets::Mediated}) {
                for (const TruncationGuard truncation :
                     {TruncationGuard::ByLandlock, TruncationGuard::ByFilter}) {
                    for (const BroadcastSignals broadcast :
                         {BroadcastSignals::ScopedByLandlock, BroadcastSignals::RefusedByFilter}) {
                        all.push_back({architecture, network, unixSockets, truncation, broadcast});
                    }
                }
            }
        }
    }
    return all;
}

QByteArray describe(const FilterOptions &options)
{
    static constexpr std::array Networks = {"all", "localhost", "none", "ports"};
    return QByteArray(options.architecture == Architecture::X86_64 ? "x86-64" : "aarch64") + ' '
           + Networks[static_cast<std::size_t>(options.network)]
           + (options.unixSockets == UnixSockets::Mediated ? " mediated" : "")
           + (options.truncation == TruncationGuard::ByFilter ? " truncation" : "")
           + (options.broadcastSignals == BroadcastSignals::RefusedByFilter ? " broadcast" : "");
}

using Arguments = std::array<std::uint64_t, 6>;

/// The policy once more, as a plain function: what the filter has to say about a call of its own
/// architecture.
std::uint32_t expected(const FilterOptions &options, std::uint32_t number, const Arguments &arguments)
{
    if (number > 469) {
        return Enosys;
    }
    const std::string &name = nameOf(number, options.architecture);
    const auto low = [&arguments](std::size_t i) { return static_cast<std::uint32_t>(arguments[i]); };
    const auto isOneOf = [&name](std::initializer_list<const char *> names) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    const bool isNetConfined = options.network != NetworkMode::All;
    const bool isPorts = options.network == NetworkMode::Ports;
    const bool guardsTruncation = options.truncation == TruncationGuard::ByFilter;

    if (isOneOf({"io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "userfaultfd", "keyctl",
                 "add_key", "request_key", "kexec_load", "kexec_file_load", "fsopen", "fsconfig", "fsmount",
                 "fspick", "open_tree", "move_mount", "mount_setattr", "open_tree_attr", "clone3"})) {
        return Enosys;
    }
    if (isOneOf({"mount",           "umount2",       "pivot_root",   "setns",         "open_by_handle_at",
                 "perf_event_open", "init_module",   "finit_module", "delete_module", "reboot",
                 "swapon",          "swapoff",       "acct",         "quotactl",      "quotactl_fd",
                 "settimeofday",    "clock_settime", "sethostname",  "setdomainname", "vhangup",
                 "syslog",          "iopl",          "ioperm"})) {
        return Eperm;
    }
    if (name == "unshare") {
        return (low(0) & 0x7e020080) != 0 ? Eperm : Allow;
    }
    if (name == "clone") {
        return (low(0) & 0x7e020000) != 0 ? Eperm : Allow;
    }
    if (name == "ioctl") {
        switch (low(1)) {
        case 0x5412:
        case 0x541c:
        case 0x541d:
        case 0x5423:
        case 0x5437:
            return Eperm;
        default:
            return Allow;
        }
    }
    if (name == "prlimit64") {
        return low(0) != 0 && arguments[2] != 0 ? Eperm : Allow;
    }
    if (name == "kill" && options.broadcastSignals == BroadcastSignals::RefusedByFilter) {
        return static_cast<std::int32_t>(low(0)) == -1 ? Eperm : Allow;
    }
    if (guardsTruncation) {
        if (name == "truncate") {
            return Eacces;
        }
        if (name == "openat2") {
            return Enosys;
        }
        if (name == "open" || name == "openat") {
            const std::uint32_t flags = name == "open" ? low(1) : low(2);
            const bool opensForWriting = (flags & 3) == 1 || (flags & 3) == 2;
            return (flags & 01000) != 0 && !opensForWriting ? Eacces : Allow;
        }
    }
    if (name == "socketpair") {
        if (low(0) != 1) {
            return isNetConfined ? Eafnosupport : Allow;
        }
        const std::uint32_t type = low(1) & 0xf;
        return type == 1 || type == 5 ? Allow : Eprotonosupport;
    }
    if (name == "socket") {
        const std::uint32_t type = low(1) & 0xf;
        if (low(0) == 1) {
            if (type == 2 || type == 3) {
                return Eprotonosupport;
            }
            if (options.unixSockets == UnixSockets::Refused) {
                return Eperm;
            }
            return type == 1 || type == 5 ? Allow : Eprotonosupport;
        }
        if (!isNetConfined) {
            return Allow;
        }
        if (low(0) == 16) {
            return low(2) == 0 ? Allow : Eprotonosupport;
        }
        if ((low(0) != 2 && low(0) != 10) || type == 3 || type == 10) {
            return Eafnosupport;
        }
        if (!isPorts || type == 2) {
            return Eacces;
        }
        return type == 1 && (low(2) == 0 || low(2) == 6) ? Allow : Eprotonosupport;
    }
    if (isNetConfined) {
        if (name == "sendto" || name == "sendmmsg") {
            return (low(3) & 0x20000000) != 0 ? Eopnotsupp : Allow;
        }
        if (name == "sendmsg") {
            return (low(2) & 0x20000000) != 0 ? Eopnotsupp : Allow;
        }
    }
    if (isPorts) {
        if (name == "listen") {
            return Eacces;
        }
        if (name == "setsockopt") {
            return low(1) == 6 && low(2) == 31 ? Enoent : Allow;
        }
    }
    return Allow;
}

/// Whether the call's verdict depends on its arguments.
bool hasCheck(const FilterOptions &options, const std::string &name)
{
    if (name == "kill") {
        return options.broadcastSignals == BroadcastSignals::RefusedByFilter;
    }
    if (name == "open" || name == "openat") {
        return options.truncation == TruncationGuard::ByFilter;
    }
    if (name == "sendto" || name == "sendmmsg" || name == "sendmsg") {
        return options.network != NetworkMode::All;
    }
    if (name == "setsockopt") {
        return options.network == NetworkMode::Ports;
    }
    return name == "unshare" || name == "clone" || name == "ioctl" || name == "prlimit64" || name == "socket"
           || name == "socketpair";
}

FilterOptions options(NetworkMode network, UnixSockets unixSockets = UnixSockets::Refused)
{
    return {.network = network, .unixSockets = unixSockets};
}

} // namespace

class tst_SyscallFilter : public QObject
{
    Q_OBJECT

private slots:
    void verdict_data();
    void verdict();
    void everyPlanIsValid_data() { addAllOptions(); }
    void everyPlanIsValid();
    void foreignArchitectureIsKilled();
    void numbersWithoutRuleAreAllowed_data() { addAllOptions(); }
    void numbersWithoutRuleAreAllowed();
    void unreviewedNumbersDoNotExist_data() { addAllOptions(); }
    void unreviewedNumbersDoNotExist();
    void upperHalvesDoNotCount_data() { addAllOptions(); }
    void upperHalvesDoNotCount();
    void equalsReference_data() { addAllOptions(); }
    void equalsReference();
    void builderReachesFarLabels_data();
    void builderReachesFarLabels();
    void builderRefusesNonsense();
    void interpreterFindsFaults_data();
    void interpreterFindsFaults();

private:
    static void addAllOptions();
};

Q_DECLARE_METATYPE(spettro::sandbox::FilterOptions)
Q_DECLARE_METATYPE(Arguments)
Q_DECLARE_METATYPE(std::vector<spettro::sandbox::BpfInstruction>)

void tst_SyscallFilter::addAllOptions()
{
    QTest::addColumn<FilterOptions>("options");
    for (const FilterOptions &each : allOptions()) {
        QTest::newRow(describe(each).constData()) << each;
    }
}

void tst_SyscallFilter::verdict_data()
{
    QTest::addColumn<FilterOptions>("options");
    QTest::addColumn<std::string>("call");
    QTest::addColumn<Arguments>("arguments");
    QTest::addColumn<std::uint32_t>("verdict");

    // Each row for both architectures where both have the call.
    const auto add = [](const char *what, FilterOptions filter, const std::string &call,
                        const Arguments &arguments, std::uint32_t verdict) {
        for (const Architecture architecture : {Architecture::X86_64, Architecture::Aarch64}) {
            if (numberOf(call, architecture) < 0) {
                continue;
            }
            filter.architecture = architecture;
            const QByteArray row = describe(filter) + ": " + call.c_str() + ' ' + what;
            QTest::newRow(row.constData()) << filter << call << arguments << verdict;
        }
    };

    constexpr std::uint64_t CloExec = 02000000;
    constexpr std::uint64_t NonBlock = 04000;

    for (const NetworkMode network :
         {NetworkMode::All, NetworkMode::Localhost, NetworkMode::None, NetworkMode::Ports}) {
        const FilterOptions refused = options(network);
        const FilterOptions mediated = options(network, UnixSockets::Mediated);
        const bool isAll = network == NetworkMode::All;
        const bool isPorts = network == NetworkMode::Ports;

        // The socket table, row by row.
        for (const FilterOptions &either : {refused, mediated}) {
            add("unix stream", either, "socketpair", {1, 1, 0}, Allow);
            add("unix stream with flags", either, "socketpair", {1, 1 | CloExec | NonBlock, 0}, Allow);
            add("unix seqpacket", either, "socketpair", {1, 5 | CloExec, 0}, Allow);
            add("unix dgram", either, "socketpair", {1, 2, 0}, Eprotonosupport);
            add("unix dgram with flags", either, "socketpair", {1, 2 | CloExec, 0}, Eprotonosupport);
            add("unix raw, which is dgram", either, "socketpair", {1, 3, 0}, Eprotonosupport);
            add("unix dgram", either, "socket", {1, 2 | NonBlock, 0}, Eprotonosupport);
            add("unix raw, which is dgram", either, "socket", {1, 3, 0}, Eprotonosupport);
            add("tipc", either, "socketpair", {30, 1, 0}, isAll ? Allow : Eafnosupport);
            add("inet", either, "socketpair", {2, 1, 0}, isAll ? Allow : Eafnosupport);

            const std::uint32_t stream = isAll || isPorts ? Allow : Eacces;
            const std::uint32_t otherProtocol = isAll ? Allow : isPorts ? Eprotonosupport : Eacces;
            const std::uint32_t datagram = isAll ? Allow : Eacces;
            const std::uint32_t otherFamily = isAll ? Allow : Eafnosupport;
            for (const std::uint64_t family : {2U, 10U}) {
                const auto addInet = [&](const char *what, std::uint64_t type, std::uint64_t protocol,
                                         std::uint32_t verdict) {
                    const QByteArray row =
                        QByteArray(family == 2 ? "inet " : "inet6 ") + what
                        + (either.unixSockets == UnixSockets::Mediated ? " (mediated)" : "");
                    add(row.constData(), either, "socket", {family, type, protocol}, verdict);
                };
                addInet("stream", 1, 0, stream);
                addInet("stream with flags", 1 | CloExec | NonBlock, 6, stream);
                addInet("mptcp", 1, 262, otherProtocol);
                addInet("sctp", 1, 132, otherProtocol);
                addInet("sctp seqpacket", 5, 132, otherProtocol);
                addInet("smc", 1, 256, otherProtocol);
                addInet("dccp", 6, 33, otherProtocol);
                addInet("dgram", 2, 0, datagram);
                addInet("dgram with flags", 2 | CloExec, 17, datagram);
                addInet("udplite", 2, 136, datagram);
                addInet("ping", 2, 1, datagram);
                addInet("raw", 3 | CloExec, 6, otherFamily);
                addInet("packet by its old name", 10, 3, otherFamily);
            }
            add("packet", either, "socket", {17, 3, 0x0300}, otherFamily);
            add("vsock", either, "socket", {40, 1, 0}, otherFamily);
            add("alg", either, "socket", {38, 5, 0}, otherFamily);
            add("xdp", either, "socket", {44, 3, 0}, otherFamily);
            add("bluetooth", either, "socket", {31, 1, 3}, otherFamily);
            add("smc family", either, "socket", {43, 1, 0}, otherFamily);
            add("unspecified", either, "socket", {0, 1, 0}, otherFamily);
            add("far beyond", either, "socket", {0xffffffff, 1, 0}, otherFamily);
            add("netlink route", either, "socket", {16, 3 | CloExec, 0}, Allow);
            add("netlink route dgram", either, "socket", {16, 2, 0}, Allow);
            add("netlink diag", either, "socket", {16, 3, 4}, isAll ? Allow : Eprotonosupport);
            add("netlink uevent", either, "socket", {16, 2, 15}, isAll ? Allow : Eprotonosupport);

            const std::uint32_t fastOpen = isAll ? Allow : Eopnotsupp;
            add("fast open", either, "sendto", {3, 0, 0, 0x20000000, 0, 16}, fastOpen);
            add("fast open among flags", either, "sendto", {3, 0, 0, 0x20004040, 0, 16}, fastOpen);
            add("fast open", either, "sendmsg", {3, 0, 0x20000000}, fastOpen);
            add("fast open", either, "sendmmsg", {3, 0, 1, 0x20000000}, fastOpen);
            add("other flags", either, "sendto", {3, 0, 0x20000000, 0x4040, 0x20000000, 16}, Allow);
            add("other flags", either, "sendmsg", {3, 0x20000000, 0x4040, 0x20000000}, Allow);
            add("other flags", either, "sendmmsg", {3, 0, 0x20000000, 0x4040}, Allow);
            add("", either, "listen", {3, 5}, isPorts ? Eacces : Allow);
            add("upper protocol", either, "setsockopt", {3, 6, 31, 0, 3}, isPorts ? Enoent : Allow);
            add("nodelay", either, "setsockopt", {3, 6, 1, 0, 4}, Allow);
            add("same number, other level", either, "setsockopt", {3, 1, 31, 0, 4}, Allow);
            add("", either, "connect", {3, 0, 16}, Allow);
            add("", either, "bind", {3, 0, 16}, Allow);
        }
        add("unix stream", refused, "socket", {1, 1 | CloExec, 0}, Eperm);
        add("unix seqpacket", refused, "socket", {1, 5, 0}, Eperm);
        add("unix of no known type", refused, "socket", {1, 9, 0}, Eperm);
        add("unix stream", mediated, "socket", {1, 1 | CloExec | NonBlock, 0}, Allow);
        add("unix seqpacket", mediated, "socket", {1, 5, 0}, Allow);
        add("unix of no known type", mediated, "socket", {1, 9, 0}, Eprotonosupport);

        // What no mode allows.
        for (const char *name :
             {"io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "userfaultfd", "keyctl",
              "add_key", "request_key", "kexec_load", "kexec_file_load", "fsopen", "fsconfig", "fsmount",
              "fspick", "open_tree", "move_mount", "mount_setattr", "open_tree_attr", "clone3"}) {
            add("", refused, name, {}, Enosys);
        }
        for (const char *name :
             {"mount",           "umount2",       "pivot_root",   "setns",         "open_by_handle_at",
              "perf_event_open", "init_module",   "finit_module", "delete_module", "reboot",
              "swapon",          "swapoff",       "acct",         "quotactl",      "quotactl_fd",
              "settimeofday",    "clock_settime", "sethostname",  "setdomainname", "vhangup",
              "syslog",          "iopl",          "ioperm"}) {
            add("", refused, name, {}, Eperm);
        }
        for (const char *name : {"read", "write", "open", "openat", "openat2", "truncate", "ftruncate",
                                 "mmap", "futex", "execve", "ptrace", "chroot", "adjtimex", "seccomp", "kill",
                                 "pidfd_getfd", "landlock_restrict_self", "file_setattr"}) {
            add("", refused, name, {}, Allow);
        }
    }

    const FilterOptions plain = options(NetworkMode::None);

    struct NamedFlag
    {
        const char *name;
        std::uint64_t flag;
    };
    for (const auto &[name, flag] :
         {NamedFlag{"newns", 0x20000}, NamedFlag{"newcgroup", 0x2000000}, NamedFlag{"newuts", 0x4000000},
          NamedFlag{"newipc", 0x8000000}, NamedFlag{"newuser", 0x10000000}, NamedFlag{"newpid", 0x20000000},
          NamedFlag{"newnet", 0x40000000}}) {
        add(name, plain, "clone", {flag | 17}, Eperm);
        add(name, plain, "unshare", {flag}, Eperm);
        add(name, plain, "unshare", {flag | Upper}, Eperm);
    }
    add("newtime", plain, "unshare", {0x80}, Eperm);
    add("files", plain, "unshare", {0x400}, Allow);
    add("fork", plain, "clone", {0x01200011}, Allow);
    add("thread", plain, "clone", {0x003d0f00}, Allow);
    add("vfork", plain, "clone", {0x00004111}, Allow);
    add("exit signal with the bit of newtime", plain, "clone", {0x80 | 17}, Allow);

    for (const std::uint64_t command : {0x5412U, 0x541cU, 0x541dU, 0x5423U, 0x5437U}) {
        add(QByteArray::number(command, 16).constData(), plain, "ioctl", {0, command, 1}, Eperm);
        const QByteArray withUpper = QByteArray::number(command, 16) + " with upper half";
        add(withUpper.constData(), plain, "ioctl", {Upper, command | Upper, Upper}, Eperm);
        add("of the same number elsewhere", plain, "ioctl", {command, 0x5401, command}, Allow);
    }
    add("tcgets", plain, "ioctl", {0, 0x5401, 1}, Allow);
    add("tiocswinsz", plain, "ioctl", {0, 0x5414, 1}, Allow);
    add("tiocsctty", plain, "ioctl", {0, 0x540e, 0}, Allow);

    add("own, new", plain, "prlimit64", {0, 7, 0x7fff0000, 0}, Allow);
    add("own by upper half only, new", plain, "prlimit64", {Upper, 7, 0x7fff0000, 0}, Allow);
    add("other, read", plain, "prlimit64", {1, 7, 0, 0x7fff0000}, Allow);
    add("other, new", plain, "prlimit64", {1, 7, 0x7fff0000, 0}, Eperm);
    add("other, new with lower half 0", plain, "prlimit64", {1, 7, 0x100000000, 0}, Eperm);

    FilterOptions broadcast = plain;
    broadcast.broadcastSignals = BroadcastSignals::RefusedByFilter;
    add("everyone", plain, "kill", {0xffffffffffffffff, 9}, Allow);
    add("everyone", broadcast, "kill", {0xffffffffffffffff, 9}, Eperm);
    add("everyone, 32 bits", broadcast, "kill", {0xffffffff, 9}, Eperm);
    add("everyone, odd upper half", broadcast, "kill", {Upper | 0xffffffff, 9}, Eperm);
    add("own group", broadcast, "kill", {0, 15}, Allow);
    add("a group", broadcast, "kill", {0xfffffffffffffffe, 15}, Allow);
    add("a process", broadcast, "kill", {4711, 15}, Allow);

    FilterOptions guarded = plain;
    guarded.truncation = TruncationGuard::ByFilter;
    add("", guarded, "truncate", {0, 0}, Eacces);
    add("", guarded, "openat2", {0, 0, 0, 24}, Enosys);
    add("", guarded, "ftruncate", {3, 0}, Allow);
    add("", guarded, "creat", {0, 0644}, Allow);
    const auto addOpen = [&](const char *what, const FilterOptions &filter, std::uint64_t flags,
                             std::uint32_t verdict) {
        add(what, filter, "open", {01001, flags, 01000}, verdict);
        add(what, filter, "openat", {01000, 01000, flags, 01000}, verdict);
    };
    addOpen("rdonly", guarded, 0, Allow);
    addOpen("rdonly, cloexec and more", guarded, 02000000 | 0200000, Allow);
    addOpen("rdonly and trunc", guarded, 01000, Eacces);
    addOpen("rdonly, creat and trunc", guarded, 01100, Eacces);
    addOpen("rdonly and trunc with upper half", guarded, 01000 | Upper, Eacces);
    addOpen("wronly and trunc", guarded, 01001, Allow);
    addOpen("rdwr and trunc", guarded, 01002, Allow);
    addOpen("access mode 3", guarded, 3, Allow);
    addOpen("access mode 3 and trunc", guarded, 01003, Eacces);
    addOpen("rdonly and trunc", plain, 01000, Allow);
    addOpen("access mode 3 and trunc", plain, 01003, Allow);
}

void tst_SyscallFilter::verdict()
{
    QFETCH(FilterOptions, options);
    QFETCH(std::string, call);
    QFETCH(Arguments, arguments);
    QFETCH(std::uint32_t, verdict);

    const std::vector<BpfInstruction> program = planSyscallFilter(options);
    const auto number = static_cast<std::uint32_t>(numberOf(call, options.architecture));
    const SeccompData data = {.number = number,
                              .architecture = nativeArchitecture(options.architecture),
                              .instructionPointer = 0x7fff12345678,
                              .arguments = arguments};
    QCOMPARE(verdictOn(program, data), std::optional(verdict));
    // The reference of the other tests is held to the same rows.
    QCOMPARE(expected(options, number, arguments), verdict);
}

void tst_SyscallFilter::everyPlanIsValid()
{
    QFETCH(FilterOptions, options);
    const std::vector<BpfInstruction> program = planSyscallFilter(options);
    QCOMPARE(faultOf(program), std::string());
    QCOMPARE_LT(program.size(), std::size_t{200});
    QCOMPARE(planSyscallFilter(options), program);
}

void tst_SyscallFilter::foreignArchitectureIsKilled()
{
    for (const FilterOptions &options : allOptions()) {
        const std::vector<BpfInstruction> program = planSyscallFilter(options);
        const std::uint32_t other = options.architecture == Architecture::X86_64 ? Aarch64 : X86_64;
        for (const std::uint32_t architecture : {I386, Arm, other, 0U, 0xffffffffU}) {
            for (const std::uint32_t number :
                 {0U, 1U, 41U, 102U, 198U, 435U, 470U, 0x40000001U, 0xffffffffU}) {
                QCOMPARE(verdictOn(program, {.number = number, .architecture = architecture}),
                         std::optional(Kill));
            }
        }
    }
}

/// Also that the kernel sees it, so that these calls cost nothing.
void tst_SyscallFilter::numbersWithoutRuleAreAllowed()
{
    QFETCH(FilterOptions, options);
    const std::vector<BpfInstruction> program = planSyscallFilter(options);
    const std::uint32_t architecture = nativeArchitecture(options.architecture);
    int allowed = 0;
    for (std::uint32_t number = 0; number <= 469; ++number) {
        const std::string name = nameOf(number, options.architecture);
        const bool isFree = !hasCheck(options, name) && expected(options, number, {}) == Allow;
        QVERIFY2(isAlwaysAllowed(program, architecture, number) == isFree,
                 qPrintable(QString::number(number)));
        allowed += isFree ? 1 : 0;
    }
    QCOMPARE_GT(allowed, 400);
}

void tst_SyscallFilter::unreviewedNumbersDoNotExist()
{
    QFETCH(FilterOptions, options);
    QCOMPARE(HighestReviewedSyscall, 469U);
    const std::vector<BpfInstruction> program = planSyscallFilter(options);
    const auto verdict = [&](std::uint32_t number) {
        return verdictOn(program,
                         {.number = number, .architecture = nativeArchitecture(options.architecture)});
    };
    for (std::uint32_t number = 470; number < 1200; ++number) {
        QCOMPARE(verdict(number), std::optional(Enosys));
    }
    // x32: bit 30, with numbers of its own from 512 on.
    for (std::uint32_t number = 0; number < 600; ++number) {
        QCOMPARE(verdict(0x40000000 | number), std::optional(Enosys));
    }
    QCOMPARE(verdict(0x7fffffff), std::optional(Enosys));
    QCOMPARE(verdict(0x80000000), std::optional(Enosys));
    QCOMPARE(verdict(0xffffffff), std::optional(Enosys));
}

/// All arguments but a pointer are of 32 bits, or have no meaning above them.
void tst_SyscallFilter::upperHalvesDoNotCount()
{
    QFETCH(FilterOptions, options);
    const std::vector<BpfInstruction> program = planSyscallFilter(options);
    const std::array<std::uint64_t, 16> values = {
        0, 1, 2, 3, 5, 6, 10, 16, 31, 01000, 0x5412, 0x541c, 0x20000000, 0x10000000, 0x80, 0xffffffff};
    for (std::uint32_t number = 0; number <= 469; ++number) {
        const bool hasPointer = nameOf(number, options.architecture) == "prlimit64";
        for (const std::uint64_t first : values) {
            for (const std::uint64_t second : values) {
                SeccompData data = {.number = number,
                                    .architecture = nativeArchitecture(options.architecture),
                                    .arguments = {first, second, second, second, 0, 0}};
                const std::optional<std::uint32_t> verdict = verdictOn(program, data);
                for (std::size_t i = 0; i < data.arguments.size(); ++i) {
                    if (!hasPointer || i != 2) {
                        data.arguments[i] |= Upper;
                    }
                }
                QCOMPARE(verdictOn(program, data), verdict);
            }
        }
    }
}

void tst_SyscallFilter::equalsReference()
{
    QFETCH(FilterOptions, options);
    const std::vector<BpfInstruction> program = planSyscallFilter(options);
    std::mt19937_64 random(20261130);
    const std::array<std::uint64_t, 30> telling = {
        0,      1,      2,      3,       5,       6,       9,       10,         16,         17,
        31,     040,    132,    262,     01000,   01001,   01002,   01003,      0x5401,     0x5412,
        0x541c, 0x541d, 0x5423, 0x20000, 0x80801, 0x80802, 0x80803, 0x20000000, 0x10000011, 0xffffffff};
    const auto argument = [&]() -> std::uint64_t {
        switch (random() % 8) {
        case 0:
            return random();
        case 1:
            return std::uint64_t{1} << (random() % 64);
        case 2:
            return telling[random() % telling.size()] | (random() << 32);
        default:
            return telling[random() % telling.size()];
        }
    };
    // Half of the calls are ones that have a rule.
    std::vector<std::uint32_t> ruled;
    for (std::uint32_t number = 0; number <= 469; ++number) {
        const std::string name = nameOf(number, options.architecture);
        if (hasCheck(options, name)) {
            ruled.push_back(number);
        }
    }
    for (int i = 0; i < 50000; ++i) {
        const std::uint32_t number = random() % 2 == 0    ? ruled[random() % ruled.size()]
                                     : random() % 16 == 0 ? static_cast<std::uint32_t>(random())
                                                          : static_cast<std::uint32_t>(random() % 480);
        const SeccompData data = {
            .number = number,
            .architecture = nativeArchitecture(options.architecture),
            .instructionPointer = random(),
            .arguments = {argument(), argument(), argument(), argument(), argument(), argument()}};
        const std::optional<std::uint32_t> verdict = verdictOn(program, data);
        if (verdict != expected(options, number, data.arguments)) {
            QFAIL(qPrintable(QStringLiteral("call %1 (%2) %3 %4 %5 %6: %7 for %8")
                                 .arg(number)
                                 .arg(number > 469
                                          ? QString()
                                          : QString::fromStdString(nameOf(number, options.architecture)))
                                 .arg(data.arguments[0], 0, 16)
                                 .arg(data.arguments[1], 0, 16)
                                 .arg(data.arguments[2], 0, 16)
                                 .arg(data.arguments[3], 0, 16)
                                 .arg(verdict.value_or(0), 0, 16)
                                 .arg(expected(options, number, data.arguments), 0, 16)));
        }
    }
}

void tst_SyscallFilter::builderReachesFarLabels_data()
{
    QTest::addColumn<int>("between");
    QTest::addColumn<int>("instructions"); // -1: no program.
    QTest::newRow("none between") << 0 << 7;
    QTest::newRow("both just near") << 252 << 259;
    QTest::newRow("the farther one is far") << 253 << 261;
    QTest::newRow("which makes the nearer one far") << 254 << 263;
    QTest::newRow("both far") << 300 << 309;
    QTest::newRow("as many as the kernel takes") << 4087 << 4096;
    QTest::newRow("one more") << 4088 << -1;
}

void tst_SyscallFilter::builderReachesFarLabels()
{
    QFETCH(int, between);
    QFETCH(int, instructions);

    for (const bool isTrueNearer : {true, false}) {
        BpfBuilder builder;
        const BpfBuilder::Label padding = builder.newLabel();
        const BpfBuilder::Label nearer = builder.newLabel();
        const BpfBuilder::Label farther = builder.newLabel();
        builder.load(0);
        builder.jumpIf(BpfBuilder::Test::AtLeast, 100, padding);
        builder.jumpIf(BpfBuilder::Test::Equal, 7, isTrueNearer ? nearer : farther,
                       isTrueNearer ? farther : nearer);
        builder.place(padding);
        for (int i = 0; i < between; ++i) {
            builder.mask(0xffffffff);
        }
        builder.finish(1);
        builder.place(nearer);
        builder.mask(0xffffffff);
        builder.finish(2);
        builder.place(farther);
        builder.finish(3);

        const std::optional<std::vector<BpfInstruction>> program = builder.build();
        QCOMPARE(program.has_value(), instructions >= 0);
        if (!program) {
            continue;
        }
        QCOMPARE(static_cast<int>(program->size()), instructions);
        QCOMPARE(faultOf(*program), std::string());
        QCOMPARE(verdictOn(*program, {.number = 7}), std::optional(isTrueNearer ? 2U : 3U));
        QCOMPARE(verdictOn(*program, {.number = 8}), std::optional(isTrueNearer ? 3U : 2U));
        QCOMPARE(verdictOn(*program, {.number = 200}), std::optional(1U));
    }
}

void tst_SyscallFilter::builderRefusesNonsense()
{
    using Test = BpfBuilder::Test;

    BpfBuilder empty;
    QVERIFY(!empty.build());

    BpfBuilder open;
    open.finish(1);
    open.load(0);
    QVERIFY(!open.build());

    BpfBuilder unplaced;
    unplaced.jumpIf(Test::Equal, 1, unplaced.newLabel());
    unplaced.finish(1);
    QVERIFY(!unplaced.build());

    BpfBuilder backwards;
    const BpfBuilder::Label start = backwards.newLabel();
    backwards.place(start);
    backwards.load(0);
    backwards.jumpIf(Test::Equal, 1, start);
    backwards.finish(1);
    QVERIFY(!backwards.build());

    BpfBuilder toItself;
    const BpfBuilder::Label self = toItself.newLabel();
    toItself.place(self);
    toItself.jumpIf(Test::Equal, 1, self);
    toItself.finish(1);
    QVERIFY(!toItself.build());

    BpfBuilder beyond;
    const BpfBuilder::Label end = beyond.newLabel();
    beyond.jumpIf(Test::Equal, 1, end);
    beyond.finish(1);
    beyond.place(end);
    QVERIFY(!beyond.build());

    BpfBuilder twice;
    const BpfBuilder::Label label = twice.newLabel();
    twice.jumpIf(Test::Equal, 1, label);
    twice.place(label);
    twice.finish(1);
    twice.place(label);
    twice.finish(2);
    QVERIFY(!twice.build());
}

/// The other tests are worth what these find.
void tst_SyscallFilter::interpreterFindsFaults_data()
{
    QTest::addColumn<std::vector<BpfInstruction>>("program");
    QTest::addColumn<bool>("isGood");

    const BpfInstruction load = {0x20, 0, 0, 0};
    const BpfInstruction allow = {0x06, 0, 0, Allow};
    using Program = std::vector<BpfInstruction>;
    QTest::newRow("good") << Program{load, {0x15, 0, 1, 3}, allow, allow} << true;
    QTest::newRow("most instructions") << Program(4096, load) << false;
    QTest::newRow("empty") << Program{} << false;
    QTest::newRow("too long") << Program(4097, allow) << false;
    QTest::newRow("no return") << Program{allow, load} << false;
    QTest::newRow("conditional jump out, true") << Program{load, {0x15, 2, 0, 3}, allow, allow} << false;
    QTest::newRow("conditional jump out, false") << Program{load, {0x15, 0, 2, 3}, allow, allow} << false;
    QTest::newRow("jump out") << Program{load, {0x05, 0, 0, 1}, allow} << false;
    QTest::newRow("jump with offsets") << Program{load, {0x05, 1, 0, 0}, allow} << false;
    QTest::newRow("unaligned load") << Program{{0x20, 0, 0, 2}, allow} << false;
    QTest::newRow("load behind the data") << Program{{0x20, 0, 0, 64}, allow} << false;
    QTest::newRow("load of a byte") << Program{{0x30, 0, 0, 0}, allow} << false;
    QTest::newRow("division") << Program{load, {0x34, 0, 0, 0}, allow} << false;
    QTest::newRow("out of reach") << Program{load, {0x05, 0, 0, 1}, allow, allow} << false;
}

void tst_SyscallFilter::interpreterFindsFaults()
{
    QFETCH(std::vector<BpfInstruction>, program);
    QFETCH(bool, isGood);
    QCOMPARE(faultOf(program).empty(), isGood);
}

QTEST_APPLESS_MAIN(tst_SyscallFilter)
#include "tst_syscallfilter.moc"
