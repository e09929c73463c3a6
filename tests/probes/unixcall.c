// Tries one way to reach a server by AF_UNIX: `unixcall ACT PATH`, `@NAME` for an abstract name. It sends
// "attack".

#include "probe.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char Text[] = "attack";

static socklen_t addressOf(const char *name, struct sockaddr_un *address)
{
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(name) >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        fail(name);
    }
    strcpy(address->sun_path, name);
    if (name[0] != '@') {
        return sizeof *address;
    }
    address->sun_path[0] = '\0';
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
}

static long connectAndSend(const char *name, int type)
{
    struct sockaddr_un address;
    const socklen_t size = addressOf(name, &address);
    const int client = socket(AF_UNIX, type, 0);
    if (client < 0 || connect(client, (const struct sockaddr *)&address, size) != 0) {
        return -1;
    }
    return send(client, Text, strlen(Text), MSG_NOSIGNAL);
}

static long sendTo(int socket, const char *name)
{
    struct sockaddr_un address;
    const socklen_t size = addressOf(name, &address);
    return socket < 0 ? -1 : sendto(socket, Text, strlen(Text), 0, (const struct sockaddr *)&address, size);
}

static long stream(char **a)
{
    return connectAndSend(a[0], SOCK_STREAM);
}

static long seqPacket(char **a)
{
    return connectAndSend(a[0], SOCK_SEQPACKET);
}

static long datagram(char **a)
{
    return sendTo(socket(AF_UNIX, SOCK_DGRAM, 0), a[0]);
}

static long datagramConnected(char **a)
{
    return connectAndSend(a[0], SOCK_DGRAM);
}

/// A datagram socket under another name.
static long raw(char **a)
{
    return sendTo(socket(AF_UNIX, SOCK_RAW, 0), a[0]);
}

/// One of a pair needs no socket(2), and can send to others than its twin.
static long pairDatagram(char **a)
{
    int pair[2];
    return socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0 ? -1 : sendTo(pair[0], a[0]);
}

static long pairDatagramConnect(char **a)
{
    struct sockaddr_un address;
    const socklen_t size = addressOf(a[0], &address);
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0
        || connect(pair[0], (const struct sockaddr *)&address, size) != 0) {
        return -1;
    }
    return send(pair[0], Text, strlen(Text), 0);
}

/// By sendmsg(2), as some libraries do.
static long pairDatagramMessage(char **a)
{
    struct sockaddr_un address;
    const socklen_t size = addressOf(a[0], &address);
    struct iovec part = {.iov_base = (void *)Text, .iov_len = strlen(Text)};
    const struct msghdr message = {
        .msg_name = &address, .msg_namelen = size, .msg_iov = &part, .msg_iovlen = 1};
    int pair[2];
    return socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0 ? -1 : sendmsg(pair[0], &message, 0);
}

/// What every shell and build tool needs: a pair that is connected from the start.
static long pairOf(int type)
{
    int pair[2];
    char bytes[sizeof Text];
    if (socketpair(AF_UNIX, type, 0, pair) != 0 || write(pair[0], Text, strlen(Text)) < 0) {
        return -1;
    }
    return read(pair[1], bytes, sizeof bytes);
}

static long pairStream(char **a)
{
    (void)a;
    return pairOf(SOCK_STREAM);
}

static long pairSeqPacket(char **a)
{
    (void)a;
    return pairOf(SOCK_SEQPACKET);
}

static const struct Act Acts[] = {
    {"stream", 1, stream},
    {"seqpacket", 1, seqPacket},
    {"datagram", 1, datagram},
    {"datagram-connected", 1, datagramConnected},
    {"raw", 1, raw},
    {"pair-datagram", 1, pairDatagram},
    {"pair-datagram-connect", 1, pairDatagramConnect},
    {"pair-datagram-message", 1, pairDatagramMessage},
    {"pair-stream", 0, pairStream},
    {"pair-seqpacket", 0, pairSeqPacket},
};

int main(int argc, char **argv)
{
    return runAct(Acts, ARRAY_SIZE(Acts), argc, argv);
}
