#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spettro::sandbox {

/// What became of one command, told apart from what the command itself can say: an exit code of 126 or 137 that the
/// command chose is `Exited`.
struct RunReport
{
    enum class Kind : char {
        Refused = 'r',    ///< The policy could not be enforced: nothing was run.
        NotStarted = 'n', ///< The command was not found or is not executable: nothing was run.
        Exited = 'e',
        Signaled = 's',
        TimedOut = 't',
    };

    Kind kind = Kind::Refused;
    int value = 0;       ///< The exit code, or the signal's number; for NotStarted the error number.
    std::string message; ///< For the operator; only of Refused and NotStarted.

    bool operator==(const RunReport &) const = default;
};

/// The report that a guard, a monitor and a stage have written in this order; nothing where they wrote none or
/// not a whole one. The first counts.
std::optional<RunReport> parseReport(std::string_view text);

/// Says what became of a command: into the report pipe of a `StageRequest`, or, where there is none, refusals to a
/// person on standard error.
class Reporter
{
public:
    /// `pipe` belongs to the caller; -1 for none.
    explicit Reporter(int pipe) : m_pipe(pipe) {}

    int pipe() const { return m_pipe; }

    /// Nothing was run.
    void refused(const std::string &message) const;
    void notStarted(int error, const std::string &message) const;

    /// The command ran and ended; `value` as in `RunReport`.
    void ended(RunReport::Kind kind, int value) const;

private:
    int m_pipe = -1;
};

} // namespace spettro::sandbox
