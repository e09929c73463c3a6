#pragma once

#include "sandbox/policy/Result.h"

#include <QByteArray>

#include <chrono>
#include <optional>

namespace spettro {

/// The desktop's key store: GNOME's keyring, KDE's wallet, whatever answers for secrets on the session's bus. It is asked by a
/// process of its own, `spettro-keyring`, which ends when it has answered or when the time is up. Errors are about the store and
/// never hold a key.
class Keyring
{
public:
    /// `patience`: how long an answer is waited for. A locked store asks a person to unlock it.
    explicit Keyring(std::chrono::milliseconds patience) : m_patience(patience) {}

    /// Whether this process belongs to a session that has a bus. Without one nothing is asked.
    static bool hasSession();

    /// The key, or nothing where none is kept by this name.
    sandbox::Result<std::optional<QByteArray>> read(const QByteArray &name) const;

    sandbox::Result<bool> write(const QByteArray &name, const QByteArray &key) const;

    /// Whether there was one to remove.
    sandbox::Result<bool> remove(const QByteArray &name) const;

private:
    struct Answer
    {
        bool isFound = false;
        QByteArray text;
    };
    sandbox::Result<Answer> ask(const QString &act, const QByteArray &name,
                                const QByteArray &input = {}) const;

    std::chrono::milliseconds m_patience;
};

} // namespace spettro
