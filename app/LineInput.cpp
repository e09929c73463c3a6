#include "app/LineInput.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace spettro {

std::optional<QByteArray> LineInput::next()
{
    std::array<char, 65536> piece;
    for (;;) {
        if (const qsizetype end = m_buffer.indexOf('\n', m_searched); end >= 0) {
            const QByteArray line = m_buffer.left(end);
            m_buffer.remove(0, end + 1);
            m_searched = 0;
            return line;
        }
        m_searched = m_buffer.size();
        if (!waitForInput()) {
            return std::nullopt;
        }
        const ssize_t size = ::read(m_descriptor, piece.data(), piece.size());
        if (size < 0 && errno == EINTR) {
            continue;
        }
        if (size <= 0) { // what stands behind the last line end is a line, too
            m_searched = 0;
            const QByteArray rest = std::exchange(m_buffer, {});
            return rest.isEmpty() ? std::nullopt : std::optional(rest);
        }
        m_buffer.append(piece.data(), size);
    }
}

/// False when it was stopped.
bool LineInput::waitForInput() const
{
    std::array<pollfd, 2> watched{pollfd{m_descriptor, POLLIN, 0}, pollfd{m_stopDescriptor, POLLIN, 0}};
    while (::poll(watched.data(), watched.size(), -1) < 0) {
        if (errno != EINTR) {
            return false;
        }
    }
    return watched[1].revents == 0;
}

} // namespace spettro
