#pragma once

#include "sandbox/linux/Descriptor.h"
#include "tools/shell/CommandRun.h"
#include "tools/text/OutputDigest.h"
#include "tools/text/SafeText.h"

#include <QByteArray>

#include <functional>
#include <mutex>

namespace spettro {

/// The output of one command: made safe for a model, its beginning and end kept in memory, the whole in a file without a
/// name that goes with the session, however that ends. Thread-safe.
class OutputLog : public OutputSink
{
public:
    /// What of an output is shown at once, in bytes.
    static constexpr qsizetype HeadLimit = qsizetype{12} * 1024;
    static constexpr qsizetype TailLimit = qsizetype{20} * 1024;

    /// How much of an output the file keeps, in bytes; what comes behind is only counted, and its end kept.
    static constexpr qint64 FileLimit = qint64{256} * 1024 * 1024;

    /// The file is made in `folder`, in the thread that appends, when there is something to keep; where that fails there is
    /// no whole output, only the digest. `listener` (may be empty) gets each new piece of text in that thread.
    OutputLog(QByteArray folder, std::function<void(const QByteArray &)> listener)
        : m_folder(std::move(folder)), m_listener(std::move(listener))
    {}

    bool append(QByteArrayView bytes) override;
    void finish() override;

    /// Beginning and end, or all where it is short.
    QByteArray digest() const;
    bool isTruncated() const;
    qint64 size() const;
    qint64 lines() const;

    /// A piece of the whole, at most `limit` bytes (or one character) from `offset`, cut at borders of characters.
    struct Page
    {
        QByteArray text;
        qint64 offset = 0; ///< Where the text begins.
        qint64 next = 0;   ///< Where the text behind it begins.
        qint64 size = 0;   ///< Of the output so far.
        qint64 kept = 0;   ///< Of that, what the file holds.
    };
    Page page(qint64 offset, qint64 limit) const;

private:
    void take(const QByteArray &text);
    void keep(const QByteArray &text);

    mutable std::mutex m_mutex;
    QByteArray m_folder;
    SafeTextDecoder m_decoder;
    OutputDigest m_digest{HeadLimit, TailLimit};
    sandbox::Descriptor m_file;
    qint64 m_kept = 0;
    std::function<void(const QByteArray &)> m_listener;
};

} // namespace spettro
