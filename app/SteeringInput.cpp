#include "app/SteeringInput.h"

#include <unistd.h>

#include <array>

namespace spettro {

namespace {

constexpr std::chrono::milliseconds Pause{300};
constexpr qsizetype LongestLine = qsizetype{64} * 1024; // bytes; a message that is longer is cut into several

bool isInBackground()
{
    return ::isatty(STDIN_FILENO) == 1 && ::tcgetpgrp(STDIN_FILENO) != ::getpgrp();
}

} // namespace

SteeringInput::SteeringInput(std::function<void(const QByteArray &line)> take)
    : m_take(std::move(take)), m_notifier(STDIN_FILENO, QSocketNotifier::Read)
{
    m_pause.setSingleShot(true);
    QObject::connect(&m_pause, &QTimer::timeout, &m_notifier, [this] { m_notifier.setEnabled(true); });
    QObject::connect(&m_notifier, &QSocketNotifier::activated, &m_notifier, [this] { read(); });
}

void SteeringInput::read()
{
    if (isInBackground()) {
        m_notifier.setEnabled(false);
        m_pause.start(Pause);
        return;
    }
    std::array<char, 4096> piece;
    const ssize_t size = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (size <= 0) {
        m_notifier.setEnabled(false);
        return;
    }
    m_rest.append(piece.data(), size);
    while (m_rest.contains('\n') || m_rest.size() > LongestLine) {
        const qsizetype end = m_rest.indexOf('\n');
        const QByteArray line = m_rest.left(end < 0 ? LongestLine : end);
        m_rest.remove(0, end < 0 ? LongestLine : end + 1);
        if (!line.trimmed().isEmpty()) {
            m_take(line.trimmed());
        }
    }
}

} // namespace spettro
