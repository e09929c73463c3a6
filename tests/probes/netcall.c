// Tries one way to reach a server by the Internet protocols: `netcall ACT ADDRESS PORT`. It sends "attack".

#include "probe.h"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/vm_sockets.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#ifndef IPPROTO_SMC
#define IPPROTO_SMC 256
#endif

static const char Text[] = "attack";

struct Address
{
    struct sockaddr_storage storage;
    socklen_t size;
};

static struct Address addressOf(char **a)
{
    struct Address address;
    memset(&address, 0, sizeof address);
    struct sockaddr_in *v4 = (struct sockaddr_in *)&address.storage;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&address.storage;
    const in_port_t port = htons((uint16_t)atoi(a[1]));
    if (inet_pton(AF_INET, a[0], &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = port;
        address.size = sizeof *v4;
    } else if (inet_pton(AF_INET6, a[0], &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = port;
        address.size = sizeof *v6;
    } else {
        fail(a[0]);
    }
    return address;
}

static int socketFor(const struct Address *address, int type, int protocol)
{
    return socket(address->storage.ss_family, type, protocol);
}

static long sendText(int socket)
{
    return socket < 0 ? -1 : send(socket, Text, strlen(Text), 0);
}

static long connectAndSend(char **a, int type, int protocol)
{
    const struct Address address = addressOf(a);
    const int client = socketFor(&address, type, protocol);
    if (client < 0 || connect(client, (const struct sockaddr *)&address.storage, address.size) != 0) {
        return -1;
    }
    return sendText(client);
}

static long sendDatagram(char **a, int protocol)
{
    const struct Address address = addressOf(a);
    const int client = socketFor(&address, SOCK_DGRAM, protocol);
    return client < 0 ? -1
                      : sendto(client, Text, strlen(Text), 0, (const struct sockaddr *)&address.storage,
                               address.size);
}

static long tcp(char **a)
{
    return connectAndSend(a, SOCK_STREAM, 0);
}

/// A second connect(2) on the same socket, after one that only resets its peer.
static long tcpAfterUnspecified(char **a)
{
    const struct Address address = addressOf(a);
    const struct sockaddr unspecified = {.sa_family = AF_UNSPEC};
    const int client = socketFor(&address, SOCK_STREAM, 0);
    if (client < 0 || connect(client, &unspecified, sizeof unspecified) != 0
        || connect(client, (const struct sockaddr *)&address.storage, address.size) != 0) {
        return -1;
    }
    return sendText(client);
}

static long fastOpenSendto(char **a)
{
    const struct Address address = addressOf(a);
    const int client = socketFor(&address, SOCK_STREAM, 0);
    return client < 0 ? -1
                      : sendto(client, Text, strlen(Text), MSG_FASTOPEN,
                               (const struct sockaddr *)&address.storage, address.size);
}

static long fastOpenSendmsg(char **a)
{
    struct Address address = addressOf(a);
    struct iovec part = {.iov_base = (void *)Text, .iov_len = strlen(Text)};
    const struct msghdr message = {
        .msg_name = &address.storage, .msg_namelen = address.size, .msg_iov = &part, .msg_iovlen = 1};
    const int client = socketFor(&address, SOCK_STREAM, 0);
    return client < 0 ? -1 : sendmsg(client, &message, MSG_FASTOPEN);
}

static long fastOpenSendmmsg(char **a)
{
    struct Address address = addressOf(a);
    struct iovec part = {.iov_base = (void *)Text, .iov_len = strlen(Text)};
    struct mmsghdr message;
    memset(&message, 0, sizeof message);
    message.msg_hdr.msg_name = &address.storage;
    message.msg_hdr.msg_namelen = address.size;
    message.msg_hdr.msg_iov = &part;
    message.msg_hdr.msg_iovlen = 1;
    const int client = socketFor(&address, SOCK_STREAM, 0);
    return client < 0 ? -1 : sendmmsg(client, &message, 1, MSG_FASTOPEN);
}

/// connect(2) only notes the address; the connection is made by the first write.
static long fastOpenConnect(char **a)
{
    const struct Address address = addressOf(a);
    const int client = socketFor(&address, SOCK_STREAM, 0);
    const int on = 1;
    if (client < 0 || setsockopt(client, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof on) != 0
        || connect(client, (const struct sockaddr *)&address.storage, address.size) != 0) {
        return -1;
    }
    return sendText(client);
}

static long mptcp(char **a)
{
    return connectAndSend(a, SOCK_STREAM, IPPROTO_MPTCP);
}

static long sctp(char **a)
{
    return connectAndSend(a, SOCK_STREAM, IPPROTO_SCTP);
}

static long smc(char **a)
{
    return connectAndSend(a, SOCK_STREAM, IPPROTO_SMC);
}

static long udp(char **a)
{
    return sendDatagram(a, 0);
}

static long udpConnected(char **a)
{
    return connectAndSend(a, SOCK_DGRAM, 0);
}

static long udpLite(char **a)
{
    return sendDatagram(a, IPPROTO_UDPLITE);
}

/// A whole UDP packet by hand.
static long rawUdp(char **a)
{
    const struct Address address = addressOf(a);
    const int client = socketFor(&address, SOCK_RAW, IPPROTO_UDP);
    const uint16_t port = htons((uint16_t)atoi(a[1]));
    unsigned char packet[8 + sizeof Text - 1] = {0, 53, 0, 0, 0, sizeof packet, 0, 0};
    memcpy(packet + 2, &port, sizeof port);
    memcpy(packet + 8, Text, sizeof Text - 1);
    return client < 0 ? -1
                      : sendto(client, packet, sizeof packet, 0, (const struct sockaddr *)&address.storage,
                               address.size);
}

static long ping(char **a)
{
    const struct Address address = addressOf(a);
    return socketFor(&address, SOCK_DGRAM, IPPROTO_ICMP);
}

static long packet(char **a)
{
    (void)a;
    return socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
}

/// The way to AF_PACKET by its name of 1993.
static long inetPacket(char **a)
{
    (void)a;
    return socket(AF_INET, SOCK_PACKET, htons(ETH_P_ALL));
}

static long vsock(char **a)
{
    (void)a;
    return socket(AF_VSOCK, SOCK_STREAM, 0);
}

static long vsockDatagram(char **a)
{
    (void)a;
    return socket(AF_VSOCK, SOCK_DGRAM, 0);
}

/// The family is the address here: `netcall family 38 0`.
static long anyFamily(char **a)
{
    return socket(atoi(a[0]), SOCK_DGRAM, 0) >= 0 ? 0 : socket(atoi(a[0]), SOCK_SEQPACKET, 0);
}

/// The protocol is the address here: `netcall netlink 15 0`.
static long netlink(char **a)
{
    return socket(AF_NETLINK, SOCK_RAW, atoi(a[0]));
}

static long bindTcp(char **a)
{
    const struct Address address = addressOf(a);
    const int server = socketFor(&address, SOCK_STREAM, 0);
    return server < 0 ? -1 : bind(server, (const struct sockaddr *)&address.storage, address.size);
}

/// Says where it listens and waits for one guest.
static long greetOneGuest(int server)
{
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    if (getsockname(server, (struct sockaddr *)&address, &size) != 0) {
        return -1;
    }
    printf("listening %u\n", ntohs(address.sin_port));
    fflush(stdout);
    struct pollfd waiting = {.fd = server, .events = POLLIN};
    return poll(&waiting, 1, 5000) == 1 ? accept(server, NULL, NULL) : -1;
}

/// listen(2) without bind(2) takes a free port by itself.
static long listenUnbound(char **a)
{
    (void)a;
    const int server = socket(AF_INET, SOCK_STREAM, 0);
    return server < 0 || listen(server, 1) != 0 ? -1 : greetOneGuest(server);
}

static const struct Act Acts[] = {
    {"tcp", 2, tcp},
    {"tcp-after-unspecified", 2, tcpAfterUnspecified},
    {"fast-open-sendto", 2, fastOpenSendto},
    {"fast-open-sendmsg", 2, fastOpenSendmsg},
    {"fast-open-sendmmsg", 2, fastOpenSendmmsg},
    {"fast-open-connect", 2, fastOpenConnect},
    {"mptcp", 2, mptcp},
    {"sctp", 2, sctp},
    {"smc", 2, smc},
    {"udp", 2, udp},
    {"udp-connected", 2, udpConnected},
    {"udp-lite", 2, udpLite},
    {"raw-udp", 2, rawUdp},
    {"ping", 2, ping},
    {"packet", 2, packet},
    {"inet-packet", 2, inetPacket},
    {"vsock", 2, vsock},
    {"vsock-datagram", 2, vsockDatagram},
    {"family", 2, anyFamily},
    {"netlink", 2, netlink},
    {"bind", 2, bindTcp},
    {"listen-unbound", 2, listenUnbound},
};

int main(int argc, char **argv)
{
    return runAct(Acts, ARRAY_SIZE(Acts), argc, argv);
}
