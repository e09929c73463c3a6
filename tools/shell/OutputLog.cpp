#include "tools/shell/OutputLog.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

namespace spettro {

using namespace sandbox;

namespace {

constexpr qint64 LongestCharacter = 4; // bytes in UTF-8: a page holds at least one

bool isInsideCharacter(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

Descriptor createNameless(const QByteArray &folder)
{
    QByteArray name = folder + "/output-XXXXXX";
    Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
    if (file) {
        ::unlink(name.constData());
    }
    return file;
}

} // namespace

bool OutputLog::append(QByteArrayView bytes)
{
    take(m_decoder.feed(bytes));
    return true;
}

void OutputLog::finish()
{
    take(m_decoder.finish());
}

void OutputLog::take(const QByteArray &text)
{
    if (text.isEmpty()) {
        return;
    }
    {
        const std::scoped_lock lock(m_mutex);
        keep(text);
        m_digest.append(text);
    }
    if (m_listener) {
        m_listener(text);
    }
}

/// Writes to the file as long as that has everything so far and is not too large.
void OutputLog::keep(const QByteArray &text)
{
    const qint64 before = m_digest.totalBytes();
    if (before == 0) {
        m_file = createNameless(m_folder);
    }
    const auto room = static_cast<std::size_t>(std::min<qint64>(text.size(), FileLimit - m_kept));
    if (m_file && m_kept == before && room > 0) {
        m_kept += std::max<ssize_t>(::pwrite(m_file.number(), text.constData(), room, m_kept), 0);
    }
}

QByteArray OutputLog::digest() const
{
    const std::scoped_lock lock(m_mutex);
    return m_digest.text();
}

bool OutputLog::isTruncated() const
{
    const std::scoped_lock lock(m_mutex);
    return m_digest.isTruncated();
}

qint64 OutputLog::size() const
{
    const std::scoped_lock lock(m_mutex);
    return m_digest.totalBytes();
}

qint64 OutputLog::lines() const
{
    const std::scoped_lock lock(m_mutex);
    return m_digest.totalLines();
}

OutputLog::Page OutputLog::page(qint64 offset, qint64 limit) const
{
    const std::scoped_lock lock(m_mutex);
    Page page;
    page.size = m_digest.totalBytes();
    page.kept = m_kept;
    page.offset = std::clamp<qint64>(offset, 0, m_kept);
    page.text.resize(std::min(std::max(limit, LongestCharacter), m_kept - page.offset));
    const ssize_t count = page.text.isEmpty()
                              ? 0
                              : ::pread(m_file.number(), page.text.data(),
                                        static_cast<std::size_t>(page.text.size()), page.offset);
    page.text.resize(std::max<ssize_t>(count, 0));
    while (!page.text.isEmpty() && isInsideCharacter(page.text.front())) {
        page.text.remove(0, 1);
        ++page.offset;
    }
    // A character that the page does not hold whole is left to the next one.
    qsizetype end = page.text.size();
    qsizetype last = end;
    while (last > 0 && isInsideCharacter(page.text.at(last - 1))) {
        --last;
    }
    if (last > 0) {
        const auto lead = static_cast<unsigned char>(page.text.at(last - 1));
        const qsizetype length = lead >= 0xf0U ? 4 : lead >= 0xe0U ? 3 : lead >= 0xc0U ? 2 : 1;
        end = last - 1 + length <= end ? end : last - 1;
    }
    page.text.truncate(end);
    page.next = page.offset + end;
    return page;
}

} // namespace spettro
