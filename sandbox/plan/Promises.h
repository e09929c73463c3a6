#pragma once

#include "sandbox/policy/Policy.h"

#include <string>
#include <string_view>
#include <vector>

namespace spettro::sandbox {

/// One thing that a person reads into a policy. Coverage is asserted for each, not for a kernel version.
enum class Promise {
    WriteRoots,        ///< No file outside the writable roots is created, changed, removed or renamed.
    Truncation,        ///< No file outside the writable roots is emptied.
    ReadRoots,         ///< No file outside the readable roots is read or executed.
    Metadata,          ///< Modes, owners, times and attributes outside the writable roots stay.
    Tcp,               ///< TCP as the network mode says, in every disguise (fast open, MPTCP).
    OtherProtocols,    ///< UDP, raw, vsock and all other protocols as the network mode says.
    UnixSockets,       ///< No connection to a socket made outside, by path or abstract name.
    Signals,           ///< No signal to a process outside.
    Debugging,         ///< No tracing of, and no memory or environment from, a process outside.
    TerminalInjection, ///< No characters pushed into the operator's terminal.
    Descriptors,       ///< No open file of the launcher but the three standard streams.
    Secrets,           ///< No credential in the command's environment.
    ProcessTree,       ///< No process outlives the command.
};

/// What of a host decides whether a policy can be kept.
struct HostFacts
{
    int landlockAbi = 0;          ///< 0 where there is no Landlock.
    int landlockError = 0;        ///< Why there is none: ENOSYS, EOPNOTSUPP, EPERM...; 0 where there is one.
    bool hasSyscallFilter = true; ///< Whether seccomp filters can be installed.
};

/// How a promise stands on a host.
struct PromiseState
{
    Promise promise = Promise::WriteRoots;
    bool asked = false;    ///< Whether the policy makes this promise at all.
    bool kept = false;     ///< Whether some layer keeps it here.
    bool required = false; ///< Whether the command must not run where it is asked and not kept.
    std::string layer;     ///< What keeps it (`Landlock`, `syscall filter`...), or why nothing does.
};

/// A short name for tables and JSON keys, e.g. `write-roots`.
std::string_view nameOf(Promise promise);

/// What the promise means, for a person, in a few words.
std::string_view meaningOf(Promise promise);

/// Judges every promise of a policy on a host, in the order of the enumeration.
std::vector<PromiseState> assessPromises(FileSystemMode mode, const Network &network, const HostFacts &host);

} // namespace spettro::sandbox
