#include "tests/support/HostServer.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>

namespace spettro::test {

namespace {

constexpr std::chrono::milliseconds Patience{5000};
constexpr std::chrono::milliseconds Moment{50};

struct SocketKind
{
    int family;
    int type;
    int protocol;
};

SocketKind socketKind(HostServer::Kind kind)
{
    switch (kind) {
    case HostServer::Kind::Tcp4:
        return {AF_INET, SOCK_STREAM, 0};
    case HostServer::Kind::Tcp6:
        return {AF_INET6, SOCK_STREAM, 0};
    case HostServer::Kind::Udp4:
        return {AF_INET, SOCK_DGRAM, 0};
    case HostServer::Kind::Udp6:
        return {AF_INET6, SOCK_DGRAM, 0};
    case HostServer::Kind::UdpLite4:
        return {AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE};
    case HostServer::Kind::UnixStream:
        return {AF_UNIX, SOCK_STREAM, 0};
    case HostServer::Kind::UnixSeqPacket:
        return {AF_UNIX, SOCK_SEQPACKET, 0};
    case HostServer::Kind::UnixDatagram:
        return {AF_UNIX, SOCK_DGRAM, 0};
    }
    return {};
}

socklen_t loopbackAddress(int family, sockaddr_storage &storage)
{
    if (family == AF_INET) {
        auto *address = reinterpret_cast<sockaddr_in *>(&storage);
        address->sin_family = AF_INET;
        address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return sizeof *address;
    }
    auto *address = reinterpret_cast<sockaddr_in6 *>(&storage);
    address->sin6_family = AF_INET6;
    address->sin6_addr = in6addr_loopback;
    return sizeof *address;
}

socklen_t unixAddress(const QByteArray &name, sockaddr_storage &storage)
{
    auto *address = reinterpret_cast<sockaddr_un *>(&storage);
    address->sun_family = AF_UNIX;
    const auto length = std::min(static_cast<std::size_t>(name.size()), sizeof address->sun_path - 1);
    std::memcpy(address->sun_path, name.constData(), length);
    const bool isAbstract = name.startsWith('@');
    if (isAbstract) {
        address->sun_path[0] = '\0';
    }
    return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length + (isAbstract ? 0 : 1));
}

quint16 portOf(int descriptor)
{
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    ::getsockname(descriptor, reinterpret_cast<sockaddr *>(&storage), &size);
    if (storage.ss_family == AF_INET) {
        return ntohs(reinterpret_cast<sockaddr_in *>(&storage)->sin_port);
    }
    return ntohs(reinterpret_cast<sockaddr_in6 *>(&storage)->sin6_port);
}

} // namespace

HostServer::HostServer(Kind kind, const QByteArray &address)
{
    bindTo(kind, address);
    if (isValid() && ::pipe2(m_wake, O_CLOEXEC) == 0) {
        m_thread = std::thread(&HostServer::serve, this);
    }
}

HostServer::~HostServer()
{
    if (m_thread.joinable()) {
        ::close(m_wake[1]);
        m_thread.join();
        ::close(m_wake[0]);
    }
    for (const int client : m_clients) {
        ::close(client);
    }
    if (isValid()) {
        ::close(m_listener);
    }
}

void HostServer::bindTo(Kind kind, const QByteArray &address)
{
    const SocketKind socketKind = test::socketKind(kind);
    sockaddr_storage storage{};
    const bool isUnix = socketKind.family == AF_UNIX;
    const socklen_t size =
        isUnix ? unixAddress(address, storage) : loopbackAddress(socketKind.family, storage);
    m_isStream = socketKind.type != SOCK_DGRAM;
    m_listener =
        ::socket(socketKind.family, socketKind.type | SOCK_CLOEXEC | SOCK_NONBLOCK, socketKind.protocol);
    const bool bound = isValid() && ::bind(m_listener, reinterpret_cast<sockaddr *>(&storage), size) == 0
                       && (!m_isStream || ::listen(m_listener, 16) == 0);
    if (isValid() && !bound) {
        ::close(m_listener);
        m_listener = -1;
    } else if (isValid() && !isUnix) {
        m_port = portOf(m_listener);
    }
}

void HostServer::serve()
{
    for (;;) {
        std::vector<pollfd> watched{{m_wake[0], POLLIN, 0}, {m_listener, POLLIN, 0}};
        for (const int client : m_clients) {
            watched.push_back({client, POLLIN, 0});
        }
        while (::poll(watched.data(), watched.size(), -1) < 0) {
            // Interrupted: the signal of a child that ended may come to any thread.
        }
        if (watched[0].revents != 0) {
            return;
        }
        for (std::size_t index = 2; index < watched.size(); ++index) {
            if (watched[index].revents != 0 && !read(watched[index].fd)) {
                ::close(watched[index].fd);
                std::erase(m_clients, watched[index].fd);
            }
        }
        if (watched[1].revents != 0) {
            m_isStream ? accept() : void(read(m_listener));
        }
    }
}

void HostServer::accept()
{
    const int client = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client >= 0) {
        ++m_connections;
        m_clients.push_back(client);
    }
}

/// Returns whether more may come.
bool HostServer::read(int descriptor)
{
    char bytes[4096];
    const ssize_t count = ::recv(descriptor, bytes, sizeof bytes, 0);
    if (count > 0) {
        const std::lock_guard lock(m_mutex);
        m_received.append(bytes, static_cast<qsizetype>(count));
    }
    return count > 0 || (count < 0 && errno == EAGAIN);
}

bool HostServer::hears(const QByteArray &text) const
{
    const auto deadline = std::chrono::steady_clock::now() + Patience;
    while (!received().contains(text)) {
        if (std::chrono::steady_clock::now() > deadline) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

bool HostServer::isSilent() const
{
    std::this_thread::sleep_for(Moment);
    return m_connections == 0 && received().isEmpty();
}

QByteArray HostServer::received() const
{
    const std::lock_guard lock(m_mutex);
    return m_received;
}

} // namespace spettro::test
