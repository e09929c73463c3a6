#include "sandbox/plan/LandlockPlan.h"

#include "sandbox/plan/LandlockAbi.h"

namespace spettro::sandbox {

namespace landlock {

namespace {

/// What each ABI adds to the one before it.
constexpr AbiRights Additions[] = {
    {1, Refer - 1, 0, 0}, // everything up to MakeSym
    {2, Refer, 0, 0},
    {3, Truncate, 0, 0},
    {4, 0, BindTcp | ConnectTcp, 0},
    {5, IoctlDev, 0, 0},
    {6, 0, 0, AbstractUnixSocket | Signal},
    {9, ResolveUnix, 0, 0},
    {10, 0, BindUdp | ConnectSendUdp, 0},
};

} // namespace

AbiRights rightsOfAbi(int abi)
{
    AbiRights rights{abi, 0, 0, 0};
    for (const AbiRights &added : Additions) {
        if (added.abi <= abi) {
            rights.fileSystem |= added.fileSystem;
            rights.network |= added.network;
            rights.scopes |= added.scopes;
        }
    }
    return rights;
}

} // namespace landlock

namespace {

using namespace landlock;

std::uint64_t rightsOfGrant(Grant grant)
{
    switch (grant) {
    case Grant::Read:
        return Execute | ReadFile | ReadDir;
    case Grant::List:
        return ReadDir;
    case Grant::Write:
        // Everything but device nodes, control calls on devices, and sockets made outside the domain.
        return ~(MakeChar | MakeBlock | IoctlDev | ResolveUnix);
    case Grant::Device:
        return ReadFile | ReadDir | WriteFile | Truncate | IoctlDev;
    }
    return 0;
}

std::uint64_t handledNetworkRights(NetworkMode mode, std::uint64_t known)
{
    return mode == NetworkMode::All ? 0 : known;
}

} // namespace

LandlockPlan planLandlock(const FrozenPolicy &policy, int abi)
{
    LandlockPlan plan;
    if (!policy.isConfined()) {
        return plan;
    }
    const AbiRights known = rightsOfAbi(abi);
    plan.scopes = known.scopes;
    plan.handledFileSystem = policy.mode() == FileSystemMode::Off ? 0 : known.fileSystem;
    plan.handledNetwork = handledNetworkRights(policy.network().mode, known.network);

    if (plan.handledFileSystem != 0) {
        for (std::size_t index = 0; index < policy.roots().size(); ++index) {
            const Root &root = policy.roots()[index];
            const std::uint64_t possible =
                root.isDirectory ? known.fileSystem : known.fileSystem & FileRights;
            if (const std::uint64_t access = rightsOfGrant(root.grant) & possible) {
                plan.paths.push_back({index, access});
            }
        }
    }
    if (plan.handledNetwork != 0) {
        for (const std::uint16_t port : policy.network().ports) {
            plan.ports.push_back({port, BindTcp | ConnectTcp});
        }
    }
    return plan;
}

LandlockPlan planBackstop(const std::vector<Root> &roots, int abi)
{
    constexpr std::uint64_t Changes = WriteFile | RemoveDir | RemoveFile | MakeChar | MakeDir | MakeReg
                                      | MakeSock | MakeFifo | MakeBlock | MakeSym | Refer | Truncate;
    LandlockPlan plan;
    plan.handledFileSystem = rightsOfAbi(abi).fileSystem & Changes;
    for (std::size_t index = 0; index < roots.size(); ++index) {
        const std::uint64_t possible =
            plan.handledFileSystem & (roots[index].isDirectory ? Changes : FileRights);
        if (possible != 0) {
            plan.paths.push_back({index, possible});
        }
    }
    return plan;
}

} // namespace spettro::sandbox
