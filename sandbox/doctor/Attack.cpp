#include "sandbox/doctor/Attack.h"

#include "sandbox/doctor/Probe.h"

namespace spettro::sandbox {

using enum Condition;
using enum Evidence;

const std::vector<Attack> &attacks()
{
    using enum Promise;
    static const std::vector<Attack> table{
        {WriteRoots, {"overwriting a file", {"write", "{outside}/file"}, FilesChanged}},
        {WriteRoots, {"overwriting a readable file", {"write", "{readable}/file"}, FilesChanged}},
        {WriteRoots, {"making a file", {"create", "{outside}/new"}, FilesChanged}},
        {WriteRoots, {"making a folder", {"make-folder", "{readable}/new"}, FilesChanged}},
        {WriteRoots, {"removing a file", {"remove", "{outside}/file"}, FilesChanged}},
        {WriteRoots, {"renaming a file", {"rename", "{readable}/file", "{readable}/new"}, FilesChanged}},
        {WriteRoots, {"moving a file away", {"rename", "{outside}/file", "{workspace}/new"}, FilesChanged}},
        {WriteRoots,
         {"writing by a symbolic link",
          {"symlink-write", "{outside}/file", "{workspace}/new"},
          FilesChanged}},
        {WriteRoots,
         {"writing by a hard link", {"link-write", "{readable}/file", "{workspace}/new"}, FilesChanged}},
        {WriteRoots,
         {"writing to the workspace",
          {"create", "{workspace}/new"},
          WorkspaceChanged,
          Ear::None,
          ReadOnlyWorkspace}},

        {Truncation, {"truncate", {"truncate", "{readable}/file"}, FilesChanged}},
        {Truncation, {"opening to read and truncate", {"truncate-open", "{readable}/file"}, FilesChanged}},
        {Truncation,
         {"opening for nothing and truncate",
          {"truncate-open-unspecified", "{readable}/file"},
          FilesChanged}},
        {Truncation,
         {"truncate in the workspace",
          {"truncate-open", "{workspace}/file"},
          WorkspaceChanged,
          Ear::None,
          ReadOnlyWorkspace}},

        {ReadRoots, {"reading a file", {"read", "{outside}/file"}, SecretShown}},
        {ReadRoots,
         {"reading by a symbolic link", {"symlink-read", "{outside}/file", "{workspace}/new"}, SecretShown}},
        {ReadRoots,
         {"reading by a hard link", {"link-read", "{outside}/file", "{workspace}/new"}, SecretShown}},
        {ReadRoots, {"listing a folder", {"list", "{outside}/folder"}, SecretShown}},
        {ReadRoots,
         {"running a program",
          {"execute", "{outside}/program", ProbeArgument, "read", "{workspace}/file"},
          SecretShown}},

        {Metadata, {"chmod", {"chmod", "{outside}/file"}, FilesChanged}},
        {Metadata, {"fchmod of a readable file", {"fchmod", "{readable}/file"}, FilesChanged}},
        {Metadata, {"setting times", {"set-times", "{outside}/file"}, FilesChanged}},

        {Tcp, {"connect", {"tcp", "{ear}"}, Heard, Ear::Tcp4}},
        {Tcp, {"connect by IPv6", {"tcp", "{ear}"}, Heard, Ear::Tcp6}},
        {Tcp, {"connect by MPTCP", {"mptcp", "{ear}"}, Heard, Ear::Tcp4}},
        {Tcp, {"fast open", {"fast-open", "{ear}"}, Heard, Ear::Tcp4}},

        {OtherProtocols, {"UDP", {"udp", "{ear}"}, Heard, Ear::Udp4}},
        {OtherProtocols, {"UDP by IPv6", {"udp", "{ear}"}, Heard, Ear::Udp6}},
        {OtherProtocols, {"vsock", {"vsock", "{ear}"}, Heard, Ear::Vsock}},

        {UnixSockets, {"connect by path", {"unix", "{ear}"}, Heard, Ear::UnixPath}},
        {UnixSockets, {"connect by abstract name", {"unix", "{ear}"}, Heard, Ear::UnixAbstract}},
        {UnixSockets, {"datagram", {"unix-datagram", "{ear}"}, Heard, Ear::UnixDatagram}},
        {UnixSockets, {"datagram from a pair", {"unix-pair", "{ear}"}, Heard, Ear::UnixDatagram}},

        {Signals, {"kill", {"kill", "{bystander}"}, BystanderDied}},
        {Signals, {"signal by a process handle", {"pidfd-kill", "{bystander}"}, BystanderDied}},

        {Debugging, {"reading an environment", {"read", "/proc/{bystander}/environ"}, SecretShown}},
        {Debugging, {"reading memory", {"read-memory", "{bystander}", "{memory}"}, SecretShown}},
        {Debugging, {"tracing", {"trace", "{bystander}"}, BystanderDied}},

        {TerminalInjection, {"typing by standard input", {"type"}, KeyTyped}},
        {TerminalInjection, {"typing by /dev/tty", {"type", "/dev/tty"}, KeyTyped}},

        {Descriptors,
         {"writing to an inherited descriptor", {"write-descriptor", "{descriptor}"}, PipeReached}},

        {Secrets,
         {"a model's key", {"print-environment"}, SecretShown, Ear::None, Always, "SPETTRO_DOCTOR_TOKEN"}},
        {Secrets,
         {"another credential",
          {"print-environment"},
          SecretShown,
          Ear::None,
          Confined,
          "DOCTOR_CANARY_SECRET"}},

        {ProcessTree, {"a daemon that ignores signals", {"daemonize"}, StillRuns}},
    };
    return table;
}

const std::vector<Act> &ordinaryWork()
{
    static const std::vector<Act> table{
        {"run a program", {"execute", "/bin/sh", "-c", "cat \"$0\"", "{workspace}/file"}, SecretShown},
        {"read the workspace", {"read", "{workspace}/file"}, SecretShown},
        {"write to the workspace",
         {"create", "{workspace}/new"},
         WorkspaceChanged,
         Ear::None,
         WritableWorkspace},
        {"write to the temporary folder",
         {"create-temporary", "{name}"},
         TemporaryFile,
         Ear::None,
         ConfinedFiles},
        {"read an allowed folder", {"read", "{readable}/file"}, SecretShown},
        {"open a new terminal", {"open-terminal", "{workspace}/file"}, SecretShown},
        {"write to /dev/null",
         {"execute", "/bin/sh", "-c", "echo lost > /dev/null && cat \"$0\"", "{workspace}/file"},
         SecretShown},
        {"connect where the network mode allows it", {"tcp", "{ear}"}, Heard, Ear::AllowedTcp, SomeNetwork},
    };
    return table;
}

} // namespace spettro::sandbox
