#pragma once

#include <QIODevice>

#include <algorithm>
#include <cstring>
#include <utility>

namespace spettro {

/// A request's body that can be read once: Qt sends again only what it can read again.
class OneWayBody : public QIODevice
{
public:
    explicit OneWayBody(QByteArray bytes) : m_bytes(std::move(bytes)) { open(ReadOnly | Unbuffered); }

    bool isSequential() const override { return true; }
    bool seek(qint64) override { return false; }
    bool reset() override { return false; }
    bool atEnd() const override { return m_position == m_bytes.size(); }
    qint64 bytesAvailable() const override { return m_bytes.size() - m_position; }

protected:
    qint64 readData(char *target, qint64 most) override
    {
        const qint64 count = std::min<qint64>(most, bytesAvailable());
        if (count == 0) {
            return -1;
        }
        std::memcpy(target, m_bytes.constData() + m_position, static_cast<std::size_t>(count));
        m_position += count;
        return count;
    }
    qint64 writeData(const char *, qint64) override { return -1; }

private:
    QByteArray m_bytes;
    qsizetype m_position = 0;
};

} // namespace spettro
