#include "sandbox/doctor/ProbeActs.h"
#include "sandbox/doctor/SocketAddress.h"
#include "sandbox/linux/Descriptor.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#include <cstdlib>

namespace spettro::sandbox {

namespace {

using Arguments = std::vector<std::string>;

constexpr int MultipathTcp = 262; // IPPROTO_MPTCP, Linux 5.6
constexpr int ConnectTime = 300;  // milliseconds: everything is on this machine

Descriptor openSocket(int family, int type, int protocol = 0)
{
    return Descriptor(::socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol));
}

/// Waits until a connection that was begun is made, and sends a byte by it.
int finishConnecting(const Descriptor &socket, int error)
{
    if (error != 0 && error != EINPROGRESS) {
        return error;
    }
    pollfd wait{socket.number(), POLLOUT, 0};
    if (::poll(&wait, 1, ConnectTime) <= 0) {
        return ETIMEDOUT;
    }
    int result = 0;
    socklen_t length = sizeof result;
    if (::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &result, &length) != 0 || result != 0) {
        return result != 0 ? result : errno;
    }
    return errorOf(::send(socket.number(), "x", 1, MSG_NOSIGNAL));
}

int connectTo(const Descriptor &socket, SocketAddress address)
{
    if (!socket) {
        return errno;
    }
    return finishConnecting(socket,
                            errorOf(::connect(socket.number(), address.pointer(), *address.length())));
}

int sendTo(const Descriptor &socket, SocketAddress address, int flags)
{
    return socket ? errorOf(
               ::sendto(socket.number(), "x", 1, flags | MSG_NOSIGNAL, address.pointer(), *address.length()))
                  : errno;
}

int tcp(const Arguments &arguments)
{
    const SocketAddress address = SocketAddress::internet(arguments[0]);
    return connectTo(openSocket(address.family(), SOCK_STREAM), address);
}

int multipathTcp(const Arguments &arguments)
{
    const SocketAddress address = SocketAddress::internet(arguments[0]);
    return connectTo(openSocket(address.family(), SOCK_STREAM, MultipathTcp), address);
}

int fastOpen(const Arguments &arguments)
{
    const SocketAddress address = SocketAddress::internet(arguments[0]);
    const Descriptor socket = openSocket(address.family(), SOCK_STREAM);
    const int error = sendTo(socket, address, MSG_FASTOPEN);
    return socket ? finishConnecting(socket, error) : error;
}

int udp(const Arguments &arguments)
{
    const SocketAddress address = SocketAddress::internet(arguments[0]);
    return sendTo(openSocket(address.family(), SOCK_DGRAM), address, 0);
}

int vsock(const Arguments &arguments)
{
    sockaddr_vm address{};
    address.svm_family = AF_VSOCK;
    address.svm_cid = VMADDR_CID_LOCAL;
    address.svm_port = static_cast<unsigned>(std::strtoul(arguments[0].c_str(), nullptr, 10));
    const Descriptor socket = openSocket(AF_VSOCK, SOCK_STREAM);
    if (!socket) {
        return errno;
    }
    const sockaddr *pointer = reinterpret_cast<const sockaddr *>(&address);
    return finishConnecting(socket, errorOf(::connect(socket.number(), pointer, sizeof address)));
}

int unixStream(const Arguments &arguments)
{
    const std::optional<SocketAddress> address = SocketAddress::local(arguments[0]);
    return address ? connectTo(openSocket(AF_UNIX, SOCK_STREAM), *address) : ENAMETOOLONG;
}

int unixDatagram(const Arguments &arguments)
{
    const std::optional<SocketAddress> address = SocketAddress::local(arguments[0]);
    return address ? sendTo(openSocket(AF_UNIX, SOCK_DGRAM), *address, 0) : ENAMETOOLONG;
}

/// A socket of a pair is connected already, but may name another receiver.
int unixPair(const Arguments &arguments)
{
    const std::optional<SocketAddress> address = SocketAddress::local(arguments[0]);
    int pair[2] = {-1, -1};
    if (!address || ::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return address ? errno : ENAMETOOLONG;
    }
    const Descriptor first(pair[0]);
    const Descriptor second(pair[1]);
    return sendTo(first, *address, 0);
}

constexpr ProbeAct Acts[] = {
    {"tcp", 1, tcp},
    {"mptcp", 1, multipathTcp},
    {"fast-open", 1, fastOpen},
    {"udp", 1, udp},
    {"vsock", 1, vsock},
    {"unix", 1, unixStream},
    {"unix-datagram", 1, unixDatagram},
    {"unix-pair", 1, unixPair},
};

} // namespace

std::span<const ProbeAct> socketActs()
{
    return Acts;
}

} // namespace spettro::sandbox
