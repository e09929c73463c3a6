#include "sandbox/doctor/Canary.h"

#include "sandbox/doctor/SocketAddress.h"
#include "sandbox/linux/SystemError.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>

namespace spettro::sandbox {

namespace {

constexpr int HearingTime = 15; // milliseconds; loopback delivers at once, but for vsock

/// An address of this host that is not loopback.
std::optional<std::string> outerAddress(int family)
{
    ifaddrs *first = nullptr;
    if (::getifaddrs(&first) != 0) {
        return std::nullopt;
    }
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs *)> owner(first, ::freeifaddrs);
    for (const ifaddrs *entry = first; entry != nullptr; entry = entry->ifa_next) {
        const bool isOuter = (entry->ifa_flags & IFF_UP) != 0 && (entry->ifa_flags & IFF_LOOPBACK) == 0;
        if (isOuter && entry->ifa_addr != nullptr && entry->ifa_addr->sa_family == family) {
            const SocketAddress address = SocketAddress::of(*entry->ifa_addr);
            if (!address.isLinkLocal()) {
                return address.host();
            }
        }
    }
    return std::nullopt;
}

std::string targetHost(const Network &network, int family)
{
    if (network.mode == NetworkMode::Localhost) {
        return outerAddress(family).value_or("");
    }
    return family == AF_INET ? "127.0.0.1" : "::1";
}

} // namespace

Canary::Canary(const Network &network, const std::string &folder, const std::string &name)
{
    const std::string host4 = targetHost(network, AF_INET);
    const std::string host6 = targetHost(network, AF_INET6);
    m_listeners.push_back(openUnlessAllowed(Ear::Tcp4, host4, SOCK_STREAM, network));
    m_listeners.push_back(openUnlessAllowed(Ear::Tcp6, host6, SOCK_STREAM, network));
    m_listeners.push_back(openAllowed(network));
    m_listeners.push_back(openUnlessAllowed(Ear::Udp4, host4, SOCK_DGRAM, network));
    m_listeners.push_back(openUnlessAllowed(Ear::Udp6, host6, SOCK_DGRAM, network));
    m_listeners.push_back(openVsock());
    m_listeners.push_back(openUnix(Ear::UnixPath, folder + "/s", SOCK_STREAM));
    m_listeners.push_back(openUnix(Ear::UnixAbstract, '@' + name, SOCK_STREAM));
    m_listeners.push_back(openUnix(Ear::UnixDatagram, folder + "/d", SOCK_DGRAM));
}

const Canary::Listener &Canary::listener(Ear ear) const
{
    static const Listener none{.reason = "there is no such listener"};
    const auto found = std::find_if(m_listeners.begin(), m_listeners.end(),
                                    [ear](const Listener &listener) { return listener.ear == ear; });
    return found != m_listeners.end() ? *found : none;
}

const std::string &Canary::address(Ear ear) const
{
    return listener(ear).address;
}

const std::string &Canary::reason(Ear ear) const
{
    return listener(ear).reason;
}

bool Canary::hasHeard(Ear ear) const
{
    const Listener &asked = listener(ear);
    bool heard = false;
    for (pollfd wait{asked.socket.number(), POLLIN, 0}; ::poll(&wait, 1, heard ? 0 : HearingTime) > 0;) {
        SocketAddress caller;
        char byte = 0;
        const Descriptor connection(
            asked.accepts ? ::accept4(asked.socket.number(), caller.pointer(), caller.length(), SOCK_CLOEXEC)
                          : -1);
        const bool arrived = asked.accepts ? static_cast<bool>(connection)
                                           : ::recvfrom(asked.socket.number(), &byte, 1, MSG_DONTWAIT,
                                                        caller.pointer(), caller.length())
                                                 >= 0;
        if (!arrived) {
            break;
        }
        heard = heard || asked.host.empty() || caller.host() == asked.host;
    }
    return heard;
}

Canary::Listener Canary::openInternet(Ear ear, const std::string &host, std::uint16_t port, int type)
{
    Listener opened{.ear = ear, .accepts = type == SOCK_STREAM, .host = host};
    if (host.empty()) {
        opened.reason = "this host has no address but loopback";
        return opened;
    }
    SocketAddress address = SocketAddress::internet(host, port);
    Descriptor socket(::socket(address.family(), type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const bool listens = socket && ::bind(socket.number(), address.pointer(), *address.length()) == 0
                         && (!opened.accepts || ::listen(socket.number(), 8) == 0)
                         && ::getsockname(socket.number(), address.pointer(), address.length()) == 0;
    if (listens) {
        opened.address = host + '/' + std::to_string(address.port());
        opened.socket = std::move(socket);
    } else {
        opened.reason = "cannot listen on " + host + ": " + errorText(errno);
    }
    return opened;
}

/// On any port that the policy does not allow.
Canary::Listener Canary::openUnlessAllowed(Ear ear, const std::string &host, int type, const Network &network)
{
    Listener opened{.ear = ear, .reason = "every free port is an allowed one"};
    for (int left = 32; left > 0; --left) {
        opened = openInternet(ear, host, 0, type);
        const std::string suffix = opened.address.substr(opened.address.rfind('/') + 1);
        const bool isAllowed =
            std::any_of(network.ports.begin(), network.ports.end(),
                        [&suffix](std::uint16_t port) { return std::to_string(port) == suffix; });
        if (!isAllowed || type == SOCK_DGRAM) {
            return opened;
        }
    }
    return {.ear = ear, .reason = "every free port is an allowed one"};
}

Canary::Listener Canary::openAllowed(const Network &network)
{
    if (network.mode != NetworkMode::Ports) {
        return openInternet(Ear::AllowedTcp, "127.0.0.1", 0, SOCK_STREAM);
    }
    Listener opened;
    for (const std::uint16_t port : network.ports) {
        opened = openInternet(Ear::AllowedTcp, "127.0.0.1", port, SOCK_STREAM);
        if (opened.socket) {
            break;
        }
    }
    return opened;
}

/// A name that begins with `@` is abstract.
Canary::Listener Canary::openUnix(Ear ear, const std::string &path, int type)
{
    Listener opened{.ear = ear, .accepts = type == SOCK_STREAM};
    const std::optional<SocketAddress> address = SocketAddress::local(path);
    if (!address) {
        opened.reason = "the path of the home folder is too long for a socket";
        return opened;
    }
    SocketAddress bound = *address;
    Descriptor socket(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (socket && ::bind(socket.number(), bound.pointer(), *bound.length()) == 0
        && (!opened.accepts || ::listen(socket.number(), 8) == 0)) {
        opened.address = path;
        opened.socket = std::move(socket);
    } else {
        opened.reason = "cannot listen on " + path + ": " + errorText(errno);
    }
    return opened;
}

Canary::Listener Canary::openVsock()
{
    Listener opened{.ear = Ear::Vsock, .accepts = true};
    sockaddr_vm address{};
    address.svm_family = AF_VSOCK;
    address.svm_cid = VMADDR_CID_LOCAL; // not for the host of this virtual machine
    address.svm_port = VMADDR_PORT_ANY;
    socklen_t length = sizeof address;
    sockaddr *const pointer = reinterpret_cast<sockaddr *>(&address);
    Descriptor socket(::socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (socket && ::bind(socket.number(), pointer, length) == 0 && ::listen(socket.number(), 8) == 0
        && ::getsockname(socket.number(), pointer, &length) == 0) {
        opened.address = std::to_string(address.svm_port);
        opened.socket = std::move(socket);
    } else {
        opened.reason = "vsock to this machine itself: " + errorText(errno);
    }
    return opened;
}

} // namespace spettro::sandbox
