#pragma once

#include "sandbox/linux/Descriptor.h"
#include "sandbox/policy/Policy.h"

#include <string>
#include <vector>

namespace spettro::sandbox {

/// The host's listeners, each for one way out.
enum class Ear { None, Tcp4, Tcp6, AllowedTcp, Udp4, Udp6, Vsock, UnixPath, UnixAbstract, UnixDatagram };

/// Listens where no command may reach and tells whether one did. Connections of other machines do not count.
class Canary
{
public:
    /// Opens every listener that this host has. Those of TCP and UDP are on loopback; under `localhost`,
    /// which allows that, on another address of this host. `folder` is for sockets with a path, `name` makes
    /// the abstract one unique. A listener on a port that `network` allows is there for what must work.
    Canary(const Network &network, const std::string &folder, const std::string &name);

    /// The address to give to the probe; empty where there is no such listener.
    const std::string &address(Ear ear) const;

    /// Why there is no such listener.
    const std::string &reason(Ear ear) const;

    /// Whether anything has arrived since the last call; waits a moment for it.
    bool hasHeard(Ear ear) const;

private:
    struct Listener
    {
        Ear ear = Ear::None;
        Descriptor socket{};
        bool accepts = false; ///< A stream's, with connections to accept.
        std::string host{};   ///< Where its callers must come from; empty for any.
        std::string address{};
        std::string reason{};
    };

    const Listener &listener(Ear ear) const;

    static Listener openInternet(Ear ear, const std::string &host, std::uint16_t port, int type);
    static Listener openUnlessAllowed(Ear ear, const std::string &host, int type, const Network &network);
    static Listener openAllowed(const Network &network);
    static Listener openUnix(Ear ear, const std::string &path, int type);
    static Listener openVsock();

    std::vector<Listener> m_listeners;
};

} // namespace spettro::sandbox
