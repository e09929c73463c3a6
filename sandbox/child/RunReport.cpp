#include "sandbox/child/RunReport.h"

#include <unistd.h>

#include <charconv>

namespace spettro::sandbox {

namespace {

// A report is one line: kind, number, blank, message. It is written at once, and pipes keep up to 4096 bytes together.
constexpr std::size_t LongestMessage = 2000;

void writeAll(int descriptor, const std::string &text)
{
    [[maybe_unused]] const ssize_t written = ::write(descriptor, text.data(), text.size());
}

std::string lineOf(const RunReport &report)
{
    std::string message = report.message.substr(0, LongestMessage);
    for (char &character : message) {
        character = character == '\n' ? ' ' : character;
    }
    return static_cast<char>(report.kind) + std::to_string(report.value) + ' ' + message + '\n';
}

} // namespace

std::optional<RunReport> parseReport(std::string_view text)
{
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos
        || std::string_view("rnest").find(text.front()) == std::string_view::npos) {
        return std::nullopt;
    }
    RunReport report;
    report.kind = static_cast<RunReport::Kind>(text.front());
    const char *last = text.data() + end;
    const std::from_chars_result number = std::from_chars(text.data() + 1, last, report.value);
    if (number.ec != std::errc() || number.ptr == last || *number.ptr != ' ') {
        return std::nullopt;
    }
    report.message.assign(number.ptr + 1, last);
    return report;
}

void Reporter::refused(const std::string &message) const
{
    if (m_pipe < 0) {
        writeAll(STDERR_FILENO, "spettro: nothing was run: " + message + '\n');
    } else {
        writeAll(m_pipe, lineOf({RunReport::Kind::Refused, 0, message}));
    }
}

void Reporter::notStarted(int error, const std::string &message) const
{
    if (m_pipe < 0) {
        writeAll(STDERR_FILENO, "spettro: " + message + '\n');
    } else {
        writeAll(m_pipe, lineOf({RunReport::Kind::NotStarted, error, message}));
    }
}

void Reporter::ended(RunReport::Kind kind, int value) const
{
    if (m_pipe >= 0) {
        writeAll(m_pipe, lineOf({kind, value, {}}));
    }
}

} // namespace spettro::sandbox
