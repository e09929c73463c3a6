#include "sandbox/plan/SyscallFilter.h"

#include "sandbox/plan/BpfBuilder.h"
#include "sandbox/plan/SyscallAbi.h"
#include "sandbox/plan/SyscallTable.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <initializer_list>
#include <span>
#include <utility>

namespace spettro::sandbox {

namespace {

/// Plans one filter: a search tree over the numbers first, then the checks of arguments, then the verdicts.
class FilterPlanner
{
public:
    explicit FilterPlanner(const FilterOptions &options) : m_options(options), m_allow(m_builder.newLabel())
    {}

    std::vector<BpfInstruction> plan();

private:
    using Label = BpfBuilder::Label;
    using Test = BpfBuilder::Test;

    struct Rule
    {
        std::uint32_t number;
        Label target;
    };

    struct Verdict
    {
        std::uint32_t error;
        Label label;
    };

    struct Check
    {
        Label label;
        std::function<void()> emit;
    };

    /// All numbers from `first` up to the next segment's lead to `target`.
    struct Segment
    {
        std::uint32_t first;
        Label target;
    };

    void addKernelRules();
    void addNamespaceRules();
    void addHostRules();
    void addTruncationRules();
    void addNetworkRules();

    void refuse(std::uint32_t error, std::initializer_list<Syscall> calls);
    void check(std::initializer_list<Syscall> calls, std::function<void()> emit);
    void addRule(Syscall call, Label target);
    Label refusal(std::uint32_t error);

    std::vector<Segment> segments();
    void emitSearch(std::span<const Segment> segments);

    void loadLow(std::uint32_t argument);
    void loadHigh(std::uint32_t argument);
    void loadSocketType();
    void emitNamespaces(std::uint32_t flags);
    void emitTerminalCommands();
    void emitResourceLimits();
    void emitBroadcast();
    void emitTruncatingOpen(std::uint32_t flagsArgument);
    void emitFastOpen(std::uint32_t flagsArgument);
    void emitUpperProtocol();
    void emitSocket();
    void emitUnixSocket();
    void emitInetSocket();
    void emitSocketPair();

    const FilterOptions m_options;
    BpfBuilder m_builder;
    const Label m_allow;
    std::vector<Rule> m_rules;
    std::vector<Check> m_checks;
    std::vector<Verdict> m_verdicts;
};

std::vector<BpfInstruction> FilterPlanner::plan()
{
    addKernelRules();
    addNamespaceRules();
    addHostRules();
    addTruncationRules();
    addNetworkRules();

    const Label isNative = m_builder.newLabel();
    const Label isForeign = m_builder.newLabel();
    const bool isX86 = m_options.architecture == Architecture::X86_64;
    m_builder.load(seccomp::ArchOffset);
    m_builder.jumpIf(Test::Equal, isX86 ? seccomp::ArchX86_64 : seccomp::ArchAarch64, isNative, isForeign);
    m_builder.place(isNative);
    m_builder.load(seccomp::NumberOffset);
    emitSearch(segments());

    // Indices, as a check may ask for a verdict that none has asked for yet.
    for (std::size_t i = 0; i < m_checks.size(); ++i) {
        m_builder.place(m_checks[i].label);
        m_checks[i].emit();
    }
    m_builder.place(m_allow);
    m_builder.finish(seccomp::Allow);
    for (const Verdict &verdict : m_verdicts) {
        m_builder.place(verdict.label);
        m_builder.finish(seccomp::refuse(verdict.error));
    }
    m_builder.place(isForeign);
    m_builder.finish(seccomp::KillProcess);

    std::optional<std::vector<BpfInstruction>> program = m_builder.build();
    assert(program);
    // Only a mistake in this file leads here (tests plan every combination of options): nothing may run then.
    return program ? std::move(*program)
                   : std::vector<BpfInstruction>{{bpf::Return, 0, 0, seccomp::KillProcess}};
}

void FilterPlanner::addKernelRules()
{
    // Ways around the filter itself or around Landlock, and the parts of the kernel with the worst record.
    // ENOSYS, as programs then do what they did before these calls existed.
    refuse(abi::Enosys, {Syscall::IoUringSetup, Syscall::IoUringEnter, Syscall::IoUringRegister});
    refuse(abi::Enosys, {Syscall::Bpf, Syscall::Userfaultfd});
    // Keys outlive the command: the user keyring, and the session keyring of the launcher.
    refuse(abi::Enosys, {Syscall::Keyctl, Syscall::AddKey, Syscall::RequestKey});
    refuse(abi::Enosys, {Syscall::KexecLoad, Syscall::KexecFileLoad});
    refuse(abi::Eperm, {Syscall::PerfEventOpen});
    refuse(abi::Eperm, {Syscall::InitModule, Syscall::FinitModule, Syscall::DeleteModule});
    // ptrace, process_vm_*, pidfd_getfd, kcmp, process_madvise and the like stay: all of them ask the kernel
    // for the right to trace, which Landlock gives within the domain only.
}

void FilterPlanner::addNamespaceRules()
{
    refuse(abi::Enosys, {Syscall::Fsopen, Syscall::Fsconfig, Syscall::Fsmount, Syscall::Fspick});
    refuse(abi::Enosys,
           {Syscall::OpenTree, Syscall::OpenTreeAttr, Syscall::MoveMount, Syscall::MountSetattr});
    refuse(abi::Eperm, {Syscall::Mount, Syscall::Umount2, Syscall::PivotRoot});
    refuse(abi::Eperm, {Syscall::Setns});
    // chroot stays: it needs a capability that has been dropped, and Landlock does not lose sight of files by
    // it.

    // The flags of clone3 lie behind a pointer; libraries fall back to clone.
    refuse(abi::Enosys, {Syscall::Clone3});
    check({Syscall::Clone}, [this] { emitNamespaces(abi::CloneNamespaces); });
    check({Syscall::Unshare}, [this] { emitNamespaces(abi::CloneNamespaces | abi::CloneNewTime); });
}

void FilterPlanner::addHostRules()
{
    // Most of these need a capability. They are refused nevertheless, for the day the capabilities of root
    // survive. adjtimex and clock_adjtime are left to that, since reading the clock's state is common.
    refuse(abi::Eperm, {Syscall::OpenByHandleAt});
    refuse(abi::Eperm, {Syscall::Reboot, Syscall::Swapon, Syscall::Swapoff, Syscall::Acct});
    refuse(abi::Eperm, {Syscall::Quotactl, Syscall::QuotactlFd});
    refuse(abi::Eperm,
           {Syscall::Settimeofday, Syscall::ClockSettime, Syscall::Sethostname, Syscall::Setdomainname});
    // Direct access to devices goes around every rule about files.
    refuse(abi::Eperm, {Syscall::Ioperm, Syscall::Iopl});
    // The kernel's log tells about the host and would be read around the readable roots, where /dev/kmsg is
    // closed. EPERM is also what dmesg_restrict answers.
    refuse(abi::Eperm, {Syscall::Syslog});

    refuse(abi::Eperm, {Syscall::Vhangup});
    check({Syscall::Ioctl}, [this] { emitTerminalCommands(); });
    check({Syscall::Prlimit64}, [this] { emitResourceLimits(); });
    if (m_options.broadcastSignals == BroadcastSignals::RefusedByFilter) {
        check({Syscall::Kill}, [this] { emitBroadcast(); });
    }
}

void FilterPlanner::addTruncationRules()
{
    if (m_options.truncation == TruncationGuard::ByLandlock) {
        return;
    }
    // creat and ftruncate need a right to write, which Landlock knows at every ABI.
    refuse(abi::Eacces, {Syscall::Truncate});
    check({Syscall::Open}, [this] { emitTruncatingOpen(1); });
    check({Syscall::Openat}, [this] { emitTruncatingOpen(2); });
    // Its flags lie behind a pointer; libraries fall back to openat.
    refuse(abi::Enosys, {Syscall::Openat2});
}

void FilterPlanner::addNetworkRules()
{
    check({Syscall::Socket}, [this] { emitSocket(); });
    check({Syscall::Socketpair}, [this] { emitSocketPair(); });
    if (m_options.network == NetworkMode::All) {
        return;
    }
    // Connects without connect(2), past Landlock's rule on many kernels (repaired in 6.18.54 and 7.2).
    check({Syscall::Sendto, Syscall::Sendmmsg}, [this] { emitFastOpen(3); });
    check({Syscall::Sendmsg}, [this] { emitFastOpen(2); });
    if (m_options.network == NetworkMode::Ports) {
        // Without bind(2) it takes a free port, past Landlock's rule. The filter cannot see which socket is
        // meant, so nothing listens, not even on AF_UNIX; a supervisor that can see it will lift this.
        refuse(abi::Eacces, {Syscall::Listen});
        check({Syscall::Setsockopt}, [this] { emitUpperProtocol(); });
    }
}

void FilterPlanner::refuse(std::uint32_t error, std::initializer_list<Syscall> calls)
{
    const Label target = refusal(error);
    for (const Syscall call : calls) {
        addRule(call, target);
    }
}

void FilterPlanner::check(std::initializer_list<Syscall> calls, std::function<void()> emit)
{
    const auto isPresent = [this](Syscall call) {
        return syscallNumber(call, m_options.architecture).has_value();
    };
    if (std::none_of(calls.begin(), calls.end(), isPresent)) {
        return; // No unreachable instructions.
    }
    const Label target = m_builder.newLabel();
    for (const Syscall call : calls) {
        addRule(call, target);
    }
    m_checks.push_back({target, std::move(emit)});
}

void FilterPlanner::addRule(Syscall call, Label target)
{
    if (const std::optional<std::uint32_t> number = syscallNumber(call, m_options.architecture)) {
        m_rules.push_back({*number, target});
    }
}

FilterPlanner::Label FilterPlanner::refusal(std::uint32_t error)
{
    const auto known = std::find_if(m_verdicts.begin(), m_verdicts.end(),
                                    [error](const Verdict &verdict) { return verdict.error == error; });
    if (known != m_verdicts.end()) {
        return known->label;
    }
    m_verdicts.push_back({error, m_builder.newLabel()});
    return m_verdicts.back().label;
}

std::vector<FilterPlanner::Segment> FilterPlanner::segments()
{
    std::sort(m_rules.begin(), m_rules.end(),
              [](const Rule &a, const Rule &b) { return a.number < b.number; });

    std::vector<Segment> segments;
    const auto append = [&segments](std::uint32_t first, Label target) {
        if (!segments.empty() && segments.back().first == first) {
            segments.pop_back();
        }
        if (segments.empty() || segments.back().target != target) {
            segments.push_back({first, target});
        }
    };
    append(0, m_allow);
    for (const Rule &rule : m_rules) {
        append(rule.number, rule.target);
        append(rule.number + 1, m_allow);
    }
    // Not reviewed. Numbers of the x32 interface have bit 30 set and end here as well.
    append(HighestReviewedSyscall + 1, refusal(abi::Enosys));
    return segments;
}

void FilterPlanner::emitSearch(std::span<const Segment> segments)
{
    const std::span<const Segment> lower = segments.first(segments.size() / 2);
    const std::span<const Segment> upper = segments.subspan(lower.size());
    const Label ifLower = lower.size() == 1 ? lower.front().target : m_builder.newLabel();
    const Label ifUpper = upper.size() == 1 ? upper.front().target : m_builder.newLabel();
    m_builder.jumpIf(Test::AtLeast, upper.front().first, ifUpper, ifLower);
    if (lower.size() > 1) {
        m_builder.place(ifLower);
        emitSearch(lower);
    }
    if (upper.size() > 1) {
        m_builder.place(ifUpper);
        emitSearch(upper);
    }
}

/// The half that counts of an argument whose type has 32 bits: the kernel does not look at the other.
void FilterPlanner::loadLow(std::uint32_t argument)
{
    m_builder.load(seccomp::ArgumentsOffset + argument * seccomp::ArgumentSize);
}

void FilterPlanner::loadHigh(std::uint32_t argument)
{
    m_builder.load(seccomp::ArgumentsOffset + argument * seccomp::ArgumentSize + seccomp::ArgumentSize / 2);
}

/// Of socket(2) and socketpair(2).
void FilterPlanner::loadSocketType()
{
    loadLow(1);
    m_builder.mask(abi::SocketTypeMask);
}

void FilterPlanner::emitNamespaces(std::uint32_t flags)
{
    loadLow(0); // The type has 64 bits, but no flag lies in the upper half.
    m_builder.jumpIf(Test::AnyBit, flags, refusal(abi::Eperm), m_allow);
}

void FilterPlanner::emitTerminalCommands()
{
    const Label refused = refusal(abi::Eperm);
    loadLow(1);
    // Types into the terminal; pastes into a virtual console.
    m_builder.jumpIf(Test::Equal, abi::TerminalInput, refused);
    m_builder.jumpIf(Test::Equal, abi::TerminalLinux, refused);
    // Changes the operator's terminal beyond what `stty sane` repairs (Landlock does not cover inherited
    // terminals), and loads kernel modules.
    m_builder.jumpIf(Test::Equal, abi::TerminalDiscipline, refused);
    // What vhangup(2) does, and takes the console's output; both for a root whose capabilities survive.
    m_builder.jumpIf(Test::Equal, abi::TerminalHangUp, refused);
    m_builder.jumpIf(Test::Equal, abi::TerminalConsole, refused, m_allow);
}

/// Other processes' limits may be read, not set. Landlock does not separate processes in this respect.
void FilterPlanner::emitResourceLimits()
{
    const Label refused = refusal(abi::Eperm);
    const Label isOther = m_builder.newLabel();
    const Label isLowZero = m_builder.newLabel();
    loadLow(0);
    m_builder.jumpIf(Test::Equal, 0, m_allow, isOther);
    m_builder.place(isOther);
    loadLow(2);
    m_builder.jumpIf(Test::Equal, 0, isLowZero, refused);
    m_builder.place(isLowZero);
    loadHigh(2);
    m_builder.jumpIf(Test::Equal, 0, m_allow, refused);
}

void FilterPlanner::emitBroadcast()
{
    loadLow(0);
    m_builder.jumpIf(Test::Equal, static_cast<std::uint32_t>(-1), refusal(abi::Eperm), m_allow);
}

/// Landlock before ABI 3 asks for a right to write only if the file is opened for writing. Truncating also
/// works with O_RDONLY, and with the access mode 3, which asks for no right at all (measured on 6.18 with the
/// rights of ABI 2).
void FilterPlanner::emitTruncatingOpen(std::uint32_t flagsArgument)
{
    const Label truncates = m_builder.newLabel();
    loadLow(flagsArgument);
    m_builder.jumpIf(Test::AnyBit, abi::OpenTruncate, truncates, m_allow);
    m_builder.place(truncates);
    m_builder.mask(abi::OpenAccessMask);
    m_builder.jumpIf(Test::Equal, abi::OpenWriteOnly, m_allow);
    m_builder.jumpIf(Test::Equal, abi::OpenReadWrite, m_allow, refusal(abi::Eacces));
}

void FilterPlanner::emitFastOpen(std::uint32_t flagsArgument)
{
    loadLow(flagsArgument);
    m_builder.jumpIf(Test::AnyBit, abi::MessageFastOpen, refusal(abi::Eopnotsupp), m_allow);
}

/// TCP_ULP with "smc" turns a TCP socket into one of the family AF_SMC, which still reaches plain TCP
/// servers, but whose connections Landlock takes for no TCP (Linux 5.17 and later, where the module is
/// loaded). The name lies behind a pointer, so the option is refused altogether; ENOENT says that the
/// protocol is not there, and TLS libraries go on without the kernel's help.
void FilterPlanner::emitUpperProtocol()
{
    const Label isTcp = m_builder.newLabel();
    loadLow(1);
    m_builder.jumpIf(Test::Equal, abi::LevelTcp, isTcp, m_allow);
    m_builder.place(isTcp);
    loadLow(2);
    m_builder.jumpIf(Test::Equal, abi::OptionUpperProtocol, refusal(abi::Enoent), m_allow);
}

void FilterPlanner::emitSocket()
{
    const Label isUnix = m_builder.newLabel();
    loadLow(0);
    if (m_options.network == NetworkMode::All) {
        m_builder.jumpIf(Test::Equal, abi::FamilyUnix, isUnix, m_allow);
        m_builder.place(isUnix);
        emitUnixSocket();
        return;
    }

    const Label isInet = m_builder.newLabel();
    const Label isNetlink = m_builder.newLabel();
    m_builder.jumpIf(Test::Equal, abi::FamilyUnix, isUnix);
    m_builder.jumpIf(Test::Equal, abi::FamilyInet, isInet);
    m_builder.jumpIf(Test::Equal, abi::FamilyInet6, isInet);
    m_builder.jumpIf(Test::Equal, abi::FamilyNetlink, isNetlink, refusal(abi::Eafnosupport));

    // Interfaces and addresses may be read; the kernel asks for a capability to change them.
    m_builder.place(isNetlink);
    loadLow(2);
    m_builder.jumpIf(Test::Equal, abi::NetlinkRoute, m_allow, refusal(abi::Eprotonosupport));

    m_builder.place(isUnix);
    emitUnixSocket();
    m_builder.place(isInet);
    emitInetSocket();
}

/// Datagrams name their receiver anew each time, with no connect(2) to mediate. SOCK_RAW is a datagram socket
/// here.
void FilterPlanner::emitUnixSocket()
{
    const Label isDatagram = refusal(abi::Eprotonosupport);
    loadSocketType();
    if (m_options.unixSockets == UnixSockets::Mediated) {
        m_builder.jumpIf(Test::Equal, abi::SocketStream, m_allow);
        m_builder.jumpIf(Test::Equal, abi::SocketSeqPacket, m_allow, isDatagram);
        return;
    }
    m_builder.jumpIf(Test::Equal, abi::SocketDatagram, isDatagram);
    m_builder.jumpIf(Test::Equal, abi::SocketRaw, isDatagram, refusal(abi::Eperm));
}

void FilterPlanner::emitInetSocket()
{
    const Label isForeign = refusal(abi::Eafnosupport);
    loadSocketType();
    m_builder.jumpIf(Test::Equal, abi::SocketRaw, isForeign);
    if (m_options.network != NetworkMode::Ports) {
        // Localhost is like None here, until a supervisor looks at the addresses.
        m_builder.jumpIf(Test::Equal, abi::SocketPacket, isForeign, refusal(abi::Eacces));
        return;
    }
    m_builder.jumpIf(Test::Equal, abi::SocketPacket, isForeign);
    m_builder.jumpIf(Test::Equal, abi::SocketDatagram, refusal(abi::Eacces));
    // MPTCP, SCTP and SMC reach what Landlock's rules about TCP forbid.
    const Label isOtherProtocol = refusal(abi::Eprotonosupport);
    const Label isStream = m_builder.newLabel();
    m_builder.jumpIf(Test::Equal, abi::SocketStream, isStream, isOtherProtocol);
    m_builder.place(isStream);
    loadLow(2);
    m_builder.jumpIf(Test::Equal, abi::ProtocolDefault, m_allow);
    m_builder.jumpIf(Test::Equal, abi::ProtocolTcp, m_allow, isOtherProtocol);
}

/// A pair is connected from the start, so it needs no mediation; but one of datagram sockets can also send
/// elsewhere.
void FilterPlanner::emitSocketPair()
{
    const bool areOthersAllowed = m_options.network == NetworkMode::All;
    const Label isUnix = m_builder.newLabel();
    loadLow(0);
    m_builder.jumpIf(Test::Equal, abi::FamilyUnix, isUnix,
                     areOthersAllowed ? m_allow : refusal(abi::Eafnosupport));
    m_builder.place(isUnix);
    loadSocketType();
    m_builder.jumpIf(Test::Equal, abi::SocketStream, m_allow);
    m_builder.jumpIf(Test::Equal, abi::SocketSeqPacket, m_allow, refusal(abi::Eprotonosupport));
}

} // namespace

std::vector<BpfInstruction> planSyscallFilter(const FilterOptions &options)
{
    return FilterPlanner(options).plan();
}

} // namespace spettro::sandbox
