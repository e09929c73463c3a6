#include "app/agent/session/LineLog.h"

#include "app/agent/session/LineScan.h"
#include "app/agent/session/RecordText.h"
#include "app/agent/session/SessionId.h"
#include "tools/text/SafeText.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace spettro {

using sandbox::Descriptor;
using sandbox::Result;

ToolOutcome<LineLog> LineLog::open(int folder, const QByteArray &name, const QByteArray &shownPath,
                                   IfMissing ifMissing, const RecordVisitor &visit)
{
    const int create = ifMissing == IfMissing::Make ? O_CREAT : 0;
    ToolOutcome<Descriptor> file = openPrivateFile(folder, name, shownPath, O_RDWR | create);
    if (!file) {
        return file.error();
    }
    LineLog log(std::move(file).value(), shownPath);
    if (std::optional<ToolError> error = lockFile(log.m_file.number(), shownPath)) {
        return *error;
    }
    if (std::optional<ToolError> error = log.repairEnd(folder, name)) {
        return *error;
    }
    if (const int error = scanLines(log.m_file.number(), log.m_end, visit, &log.m_findings)) {
        return pathError("read", shownPath, error);
    }
    return log;
}

ToolOutcome<LogFindings> LineLog::read(int folder, const QByteArray &name, const QByteArray &shownPath,
                                       const RecordVisitor &visit)
{
    const ToolOutcome<Descriptor> file = openPrivateFile(folder, name, shownPath, O_RDONLY);
    if (!file) {
        return file.error();
    }
    struct stat status;
    int error = ::fstat(file->number(), &status) == 0 ? 0 : errno;
    LogFindings findings;
    if (error == 0) {
        error = scanLines(file->number(), status.st_size, visit, &findings);
    }
    if (error != 0) {
        return pathError("read", shownPath, error);
    }
    return findings;
}

std::optional<ToolError> LineLog::append(const Json &record)
{
    std::optional<QByteArray> line = textOfRecord(record);
    if (!line) {
        return ToolError{"write " + visibleText(m_shownPath) + ": a record is too large or nested too deeply",
                         EMSGSIZE};
    }
    line->append('\n');
    if (m_end + line->size() > LargestLog) {
        return ToolError{"write " + visibleText(m_shownPath) + ": the log has reached its largest size",
                         EFBIG};
    }
    if (const int error = write(*line)) {
        return pathError("write", m_shownPath, error);
    }
    return std::nullopt;
}

std::optional<ToolError> LineLog::sync()
{
    if (::fdatasync(m_file.number()) != 0) {
        return pathError("write", m_shownPath, errno);
    }
    return std::nullopt;
}

std::optional<ToolError> LineLog::repairEnd(int folder, const QByteArray &name)
{
    struct stat status;
    if (::fstat(m_file.number(), &status) != 0) {
        return pathError("read", m_shownPath, errno);
    }
    const Result<qint64, int> end = endOfLastLine(m_file.number(), status.st_size);
    if (!end) {
        return pathError("read", m_shownPath, end.error());
    }
    m_end = *end;
    const qint64 tail = status.st_size - m_end;
    if (tail == 0) {
        return std::nullopt;
    }
    QByteArray line;
    if (tail <= LargestRecord) {
        if (const int error = readAt(m_file.number(), m_end, tail, &line)) {
            return pathError("read", m_shownPath, error);
        }
    }
    if (recordOf(line)) { // whole: only its newline is missing
        if (const int error = writeAt(m_file.number(), "\n", status.st_size)) {
            return pathError("write", m_shownPath, error);
        }
        m_end = status.st_size + 1;
        return std::nullopt;
    }
    return setAside(folder, name, m_end, status.st_size);
}

std::optional<ToolError> LineLog::setAside(int folder, const QByteArray &name, qint64 from, qint64 to)
{
    const QByteArray suffix = ".cut-" + freshSessionId();
    const ToolOutcome<Descriptor> aside =
        openPrivateFile(folder, name + suffix, m_shownPath + suffix, O_WRONLY | O_CREAT | O_EXCL);
    if (!aside) {
        return aside.error();
    }
    constexpr qint64 Piece = qint64{256} * 1024; // bytes
    QByteArray piece;
    int error = 0;
    for (qint64 place = from; place < to && error == 0; place += Piece) {
        error = readAt(m_file.number(), place, std::min(Piece, to - place), &piece);
        if (error == 0) {
            error = writeAt(aside->number(), piece, place - from);
        }
    }
    // On the disk before the original goes.
    if (error == 0 && (::fsync(aside->number()) != 0 || ::fsync(folder) != 0)) {
        error = errno;
    }
    if (error != 0) {
        ::unlinkat(folder, (name + suffix).constData(), 0);
        return pathError("write", m_shownPath + suffix, error);
    }
    if (::ftruncate(m_file.number(), from) != 0 || ::fsync(m_file.number()) != 0) {
        return pathError("write", m_shownPath, errno);
    }
    m_findings.bytesSetAside = to - from;
    return std::nullopt;
}

int LineLog::write(QByteArrayView bytes)
{
    if (m_hasRest && ::ftruncate(m_file.number(), m_end) != 0) {
        return errno;
    }
    m_hasRest = false;
    if (const int error = writeAt(m_file.number(), bytes, m_end)) {
        m_hasRest = ::ftruncate(m_file.number(), m_end) != 0;
        return error;
    }
    m_end += bytes.size();
    return 0;
}

} // namespace spettro
