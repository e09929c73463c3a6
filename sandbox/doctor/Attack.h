#pragma once

#include "sandbox/doctor/Canary.h"
#include "sandbox/plan/Promises.h"

#include <string>
#include <vector>

namespace spettro::sandbox {

/// By what the host sees that an act was done. None of it is the word of the program that was confined.
enum class Evidence {
    FilesChanged,     ///< Names, bytes, modes, owners or times in the protected folders differ.
    WorkspaceChanged, ///< The same of the scratch workspace.
    TemporaryFile,    ///< The file `{name}` is in the policy's temporary folder.
    SecretShown,      ///< `{secret}`, which the program was not given in its arguments, came out of it.
    Heard,            ///< A listener of the host heard from it.
    BystanderDied,    ///< A process outside has ended.
    PipeReached,      ///< Bytes came out of a pipe that the program was not given.
    KeyTyped,         ///< A character that nobody typed waits in a terminal.
    StillRuns,        ///< Something holds the program's standard output after its end.
};

/// Under which policies an act makes sense.
enum class Condition {
    Always,
    Confined,          ///< Anything is confined at all.
    WritableWorkspace, ///< The workspace is to be writable.
    ReadOnlyWorkspace, ///< The workspace is to be read only.
    ConfinedFiles,     ///< Files are confined.
    SomeNetwork,       ///< Some TCP connection is allowed.
};

/// Something that the probe does inside, and how the host notices. In the arguments are replaced:
/// `{outside}`, `{readable}`, `{workspace}` (folders), `{name}` (a file name), `{secret}`, `{bystander}` (a
/// process id), `{memory}` (an address in it), `{descriptor}` (a number), `{ear}` (the address of `ear`).
struct Act
{
    std::string title;
    std::vector<std::string> arguments; ///< The probe's, see ProbeActs.h.
    Evidence evidence;
    Ear ear = Ear::None;
    Condition condition = Condition::Always;
    std::string variable{}; ///< A variable that holds the secret in the operator's environment.
};

/// An act that a promise forbids.
struct Attack
{
    Promise promise;
    Act act;
};

/// Every attack of doctor.
const std::vector<Attack> &attacks();

/// What must work under every policy that it applies to.
const std::vector<Act> &ordinaryWork();

} // namespace spettro::sandbox
