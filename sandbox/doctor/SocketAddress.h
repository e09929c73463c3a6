#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>
#include <optional>
#include <string>

namespace spettro::sandbox {

/// An address for the socket calls that fits every family that doctor uses.
class SocketAddress
{
public:
    /// An empty one for a call to fill in.
    SocketAddress() = default;

    static SocketAddress of(const sockaddr &address);

    /// `host` is a literal IPv4 or IPv6 address; anything else gives an address without a family.
    static SocketAddress internet(const std::string &host, std::uint16_t port);

    /// From `HOST/PORT`.
    static SocketAddress internet(const std::string &hostAndPort);

    /// Of AF_UNIX; a name that begins with `@` is an abstract one. Nothing where the name is too long.
    static std::optional<SocketAddress> local(const std::string &name);

    int family() const { return m_storage.any.sa_family; }
    std::string host() const;
    std::uint16_t port() const;
    bool isLinkLocal() const;

    sockaddr *pointer() { return &m_storage.any; }
    socklen_t *length() { return &m_length; }

private:
    union Storage
    {
        sockaddr_storage whole;
        sockaddr any;
        sockaddr_in internet4;
        sockaddr_in6 internet6;
        sockaddr_un local;
    };

    Storage m_storage{};
    socklen_t m_length = sizeof(Storage);
};

} // namespace spettro::sandbox
