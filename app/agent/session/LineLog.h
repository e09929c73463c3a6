#pragma once

#include "app/agent/session/PrivateFiles.h"
#include "tools/Json.h"

#include <functional>
#include <optional>

namespace spettro {

/// Gets each whole record of a log, in order.
using RecordVisitor = std::function<void(Json &&record)>;

/// What was found in a log.
struct LogFindings
{
    qint64 records = 0;
    qint64 brokenLines = 0;   ///< In the middle: left where they are and passed over.
    qint64 bytesSetAside = 0; ///< Of an unfinished last line, moved to a file beside the log.

    bool operator==(const LogFindings &) const = default;
};

/// The largest log, in bytes: then appending is an error.
inline constexpr qint64 LargestLog = qint64{1024} * 1024 * 1024;

/// A file of JSON records, one a line, that only grows. It belongs to the process that has it open (flock); the lock goes
/// with the process, however that ends. A line that a kill or a power cut left unfinished is set aside when the file is
/// next opened. Appending needs nothing but the descriptor, so that it works in threads that may open no file here. Not
/// thread-safe.
class LineLog
{
public:
    /// Opens a log in a folder, repairs its end and reads it to its end; memory is needed for one record only.
    static ToolOutcome<LineLog> open(int folder, const QByteArray &name, const QByteArray &shownPath,
                                     IfMissing ifMissing, const RecordVisitor &visit);

    /// As `open`, but takes no lock and changes nothing; an unfinished last line counts as broken.
    static ToolOutcome<LogFindings> read(int folder, const QByteArray &name, const QByteArray &shownPath,
                                         const RecordVisitor &visit);

    /// Adds a record. After an error the file is as it was before, or is made so by the next call that succeeds.
    std::optional<ToolError> append(const Json &record);

    /// Brings everything that was appended to the disk.
    std::optional<ToolError> sync();

    const LogFindings &findings() const { return m_findings; }

private:
    LineLog(sandbox::Descriptor file, const QByteArray &shownPath)
        : m_file(std::move(file)), m_shownPath(shownPath)
    {}

    std::optional<ToolError> repairEnd(int folder, const QByteArray &name);
    std::optional<ToolError> setAside(int folder, const QByteArray &name, qint64 from, qint64 to);
    int write(QByteArrayView bytes);

    sandbox::Descriptor m_file;
    QByteArray m_shownPath;
    LogFindings m_findings;
    qint64 m_end = 0;       ///< Of the last whole line.
    bool m_hasRest = false; ///< Behind `m_end` there is a part of a line that could not be cut off.
};

} // namespace spettro
