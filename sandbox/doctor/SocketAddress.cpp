#include "sandbox/doctor/SocketAddress.h"

#include <arpa/inet.h>

#include <charconv>
#include <cstddef>
#include <cstring>

namespace spettro::sandbox {

namespace {

/// 0, which nothing listens on, for a text that is no port.
std::uint16_t portFrom(const std::string &text)
{
    std::uint16_t port = 0;
    std::from_chars(text.data(), text.data() + text.size(), port);
    return port;
}

} // namespace

SocketAddress SocketAddress::of(const sockaddr &address)
{
    SocketAddress copy;
    if (address.sa_family == AF_INET) {
        std::memcpy(&copy.m_storage.internet4, &address, sizeof(sockaddr_in));
    } else if (address.sa_family == AF_INET6) {
        std::memcpy(&copy.m_storage.internet6, &address, sizeof(sockaddr_in6));
    }
    return copy;
}

SocketAddress SocketAddress::internet(const std::string &host, std::uint16_t port)
{
    SocketAddress address;
    if (::inet_pton(AF_INET, host.c_str(), &address.m_storage.internet4.sin_addr) == 1) {
        address.m_storage.internet4.sin_family = AF_INET;
        address.m_storage.internet4.sin_port = htons(port);
        address.m_length = sizeof(sockaddr_in);
    } else if (::inet_pton(AF_INET6, host.c_str(), &address.m_storage.internet6.sin6_addr) == 1) {
        address.m_storage.internet6.sin6_family = AF_INET6;
        address.m_storage.internet6.sin6_port = htons(port);
        address.m_length = sizeof(sockaddr_in6);
    }
    return address;
}

SocketAddress SocketAddress::internet(const std::string &hostAndPort)
{
    const std::size_t slash = hostAndPort.rfind('/');
    const std::string port = slash == std::string::npos ? "" : hostAndPort.substr(slash + 1);
    return internet(hostAndPort.substr(0, slash), portFrom(port));
}

std::optional<SocketAddress> SocketAddress::local(const std::string &name)
{
    SocketAddress address;
    sockaddr_un &local = address.m_storage.local;
    if (name.size() >= sizeof local.sun_path) {
        return std::nullopt;
    }
    local.sun_family = AF_UNIX;
    std::memcpy(local.sun_path, name.data(), name.size());
    if (name.starts_with('@')) {
        local.sun_path[0] = '\0';
    }
    address.m_length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    return address;
}

std::string SocketAddress::host() const
{
    char text[INET6_ADDRSTRLEN] = "";
    if (family() == AF_INET) {
        ::inet_ntop(AF_INET, &m_storage.internet4.sin_addr, text, sizeof text);
    } else if (family() == AF_INET6) {
        ::inet_ntop(AF_INET6, &m_storage.internet6.sin6_addr, text, sizeof text);
    }
    return text;
}

std::uint16_t SocketAddress::port() const
{
    return ntohs(family() == AF_INET6 ? m_storage.internet6.sin6_port : m_storage.internet4.sin_port);
}

bool SocketAddress::isLinkLocal() const
{
    return family() == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&m_storage.internet6.sin6_addr);
}

} // namespace spettro::sandbox
