#pragma once

#include <QByteArray>
#include <QString>

#include <memory>

namespace spettro::test {

class Fixture;

/// A file system of its own of a given size, which can be filled up. Only root can have one.
class TinyDisk
{
public:
    explicit TinyDisk(qint64 bytes);
    ~TinyDisk();
    TinyDisk(const TinyDisk &) = delete;
    TinyDisk &operator=(const TinyDisk &) = delete;

    bool isValid() const { return m_reason.isEmpty(); }
    QByteArray reason() const { return m_reason; } ///< Why it is not valid.

    /// A folder on it, with mode 0700.
    QString path() const;

    /// Takes all of the space, and gives it back.
    void fill() const;
    void free() const;

private:
    std::unique_ptr<Fixture> m_fixture;
    QByteArray m_reason;
};

} // namespace spettro::test
