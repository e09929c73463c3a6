#pragma once

#include <QByteArray>
#include <QtGlobal>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace spettro::test {

/// A server outside the sandbox that writes down what reaches it, so that a connection is judged by what the host
/// saw and not by what the command says.
class HostServer
{
public:
    enum class Kind { Tcp4, Tcp6, Udp4, Udp6, UdpLite4, UnixStream, UnixSeqPacket, UnixDatagram };

    /// Serves on a free port of the loopback address, or on the path `address` for AF_UNIX (a leading `@` stands
    /// for an abstract name).
    explicit HostServer(Kind kind, const QByteArray &address = {});
    ~HostServer();
    HostServer(const HostServer &) = delete;
    HostServer &operator=(const HostServer &) = delete;

    /// False where the host itself cannot serve this (no IPv6, for example).
    bool isValid() const { return m_listener >= 0; }

    quint16 port() const { return m_port; }

    /// Whether these bytes arrive within a few seconds.
    bool hears(const QByteArray &text) const;

    /// Whether nothing, not even a connection, has arrived; waits a moment for what may be on its way.
    bool isSilent() const;

    /// Everything that has arrived so far.
    QByteArray received() const;

private:
    void bindTo(Kind kind, const QByteArray &address);
    void serve();
    void accept();
    bool read(int descriptor);

    int m_listener = -1;
    bool m_isStream = false;
    quint16 m_port = 0;
    int m_wake[2] = {-1, -1}; ///< A pipe whose end of file ends the thread.
    std::vector<int> m_clients;
    std::atomic<int> m_connections = 0;
    mutable std::mutex m_mutex;
    QByteArray m_received;
    std::thread m_thread;
};

} // namespace spettro::test
