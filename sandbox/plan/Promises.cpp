#include "sandbox/plan/Promises.h"

namespace spettro::sandbox {

namespace {

// Linux error numbers that tell why the Landlock calls do not answer (landlock_create_ruleset(2)).
constexpr int NotPermitted = 1;    // EPERM
constexpr int NotImplemented = 38; // ENOSYS
constexpr int NotSupported = 95;   // EOPNOTSUPP

std::string reasonOfMissingLandlock(int error)
{
    switch (error) {
    case 0:
        return "no Landlock ABI is to be used here (--test-landlock-abi)";
    case NotImplemented:
        return "Landlock is not built into this kernel, or hidden from this process (ENOSYS)";
    case NotSupported:
        return "Landlock is switched off at boot; add landlock to the kernel's lsm= list (EOPNOTSUPP)";
    case NotPermitted:
        return "the Landlock calls are filtered, as some containers do (EPERM)";
    default:
        return "landlock_create_ruleset(2) failed with error " + std::to_string(error);
    }
}

/// Judges single promises; each function answers with the layer and whether it holds.
class Assessor
{
public:
    Assessor(FileSystemMode mode, const Network &network, const HostFacts &host)
        : m_confinesFiles(mode != FileSystemMode::Off), m_network(network.mode), m_host(host)
    {}

    PromiseState assess(Promise promise) const
    {
        const bool confined = m_confinesFiles || m_network != NetworkMode::All;
        switch (promise) {
        case Promise::WriteRoots:
        case Promise::ReadRoots:
            return required(promise, m_confinesFiles, landlock(1));
        case Promise::Truncation:
            return required(promise, m_confinesFiles, m_host.landlockAbi >= 3 ? landlock(3) : filter());
        case Promise::Metadata:
            return optional(promise, m_confinesFiles, {false, "no layer of this version covers it"});
        case Promise::Tcp:
            return required(promise, m_network != NetworkMode::All, tcp());
        case Promise::OtherProtocols:
            return required(promise, m_network != NetworkMode::All, filter());
        case Promise::UnixSockets:
            return required(promise, confined, unixSockets());
        case Promise::Signals:
            return optional(promise, confined, landlock(6));
        case Promise::Debugging:
            return optional(promise, confined, landlock(m_confinesFiles ? 1 : 4));
        case Promise::TerminalInjection:
            return required(promise, confined, filter());
        case Promise::Descriptors:
        case Promise::Secrets:
            return required(promise, true, {true, "stage"});
        case Promise::ProcessTree:
            return required(promise, true, {true, "monitor"});
        }
        return {};
    }

private:
    struct Answer
    {
        bool kept;
        std::string layer;
    };

    Answer landlock(int minimum) const
    {
        if (m_host.landlockAbi == 0) {
            return {false, reasonOfMissingLandlock(m_host.landlockError)};
        }
        if (m_host.landlockAbi < minimum) {
            return {false, "needs Landlock ABI " + std::to_string(minimum) + ", this kernel has "
                               + std::to_string(m_host.landlockAbi)};
        }
        return {true, "Landlock"};
    }

    Answer filter() const
    {
        return m_host.hasSyscallFilter ? Answer{true, "syscall filter"}
                                       : Answer{false, "this kernel takes no seccomp filter"};
    }

    Answer both(int minimumAbi) const
    {
        const Answer first = landlock(minimumAbi);
        const Answer second = filter();
        if (!first.kept || !second.kept) {
            return first.kept ? second : first;
        }
        return {true, "Landlock + syscall filter"};
    }

    /// Landlock alone does not stop fast open and MPTCP; the filter alone does not know ports.
    Answer tcp() const
    {
        return m_network == NetworkMode::Ports || m_host.landlockAbi >= 4 ? both(4) : filter();
    }

    Answer unixSockets() const { return m_confinesFiles && m_host.landlockAbi >= 9 ? both(9) : filter(); }

    static PromiseState required(Promise promise, bool asked, Answer answer)
    {
        return {promise, asked, answer.kept, true, std::move(answer.layer)};
    }

    static PromiseState optional(Promise promise, bool asked, Answer answer)
    {
        return {promise, asked, answer.kept, false, std::move(answer.layer)};
    }

    bool m_confinesFiles;
    NetworkMode m_network;
    const HostFacts &m_host;
};

struct Description
{
    Promise promise;
    std::string_view name;
    std::string_view meaning;
};

constexpr Description Descriptions[] = {
    {Promise::WriteRoots, "write-roots", "files outside the writable folders stay as they are"},
    {Promise::Truncation, "truncation", "files outside the writable folders are not emptied"},
    {Promise::ReadRoots, "read-roots", "files outside the readable folders are not read"},
    {Promise::Metadata, "metadata", "modes, owners and times outside the writable folders stay"},
    {Promise::Tcp, "tcp", "TCP only as the network mode says"},
    {Promise::OtherProtocols, "other-protocols", "UDP and other protocols only as the network mode says"},
    {Promise::UnixSockets, "unix-sockets", "no connection to sockets of outside programs"},
    {Promise::Signals, "signals", "no signal to outside processes"},
    {Promise::Debugging, "debugging", "no tracing of outside processes, none of their memory or environment"},
    {Promise::TerminalInjection, "terminal-injection", "no characters pushed into the terminal"},
    {Promise::Descriptors, "descriptors", "no open file but the three standard streams"},
    {Promise::Secrets, "secrets", "no credential in the environment"},
    {Promise::ProcessTree, "process-tree", "no process outlives the command"},
};

const Description &describe(Promise promise)
{
    return Descriptions[static_cast<std::size_t>(promise)];
}

} // namespace

std::string_view nameOf(Promise promise)
{
    return describe(promise).name;
}

std::string_view meaningOf(Promise promise)
{
    return describe(promise).meaning;
}

std::vector<PromiseState> assessPromises(FileSystemMode mode, const Network &network, const HostFacts &host)
{
    const Assessor assessor(mode, network, host);
    std::vector<PromiseState> states;
    for (const Description &description : Descriptions) {
        states.push_back(assessor.assess(description.promise));
    }
    return states;
}

} // namespace spettro::sandbox
