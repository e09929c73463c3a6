#include "sandbox/linux/Landlock.h"

#include "sandbox/linux/SystemError.h"
#include "sandbox/plan/LandlockAbi.h"

#include <linux/landlock.h>
#include <unistd.h>

#include <cerrno>

namespace spettro::sandbox {

namespace {

// The numbers are the same on every architecture (asm-generic/unistd.h).
constexpr long CreateRuleset = 444;
constexpr long AddRule = 445;
constexpr long RestrictSelf = 446;

constexpr unsigned CreateRulesetVersion = 1; // LANDLOCK_CREATE_RULESET_VERSION
constexpr int RulePathBeneath = 1;           // LANDLOCK_RULE_PATH_BENEATH
constexpr int RuleNetPort = 2;               // LANDLOCK_RULE_NET_PORT

/// `struct landlock_ruleset_attr` since ABI 6. Older kernels take it as long as what they do not know is zero.
struct RulesetAttributes
{
    std::uint64_t handledFileSystem;
    std::uint64_t handledNetwork;
    std::uint64_t scopes;
};

/// `struct landlock_path_beneath_attr`.
struct [[gnu::packed]] PathBeneathAttributes
{
    std::uint64_t access;
    std::int32_t parent;
};

/// `struct landlock_net_port_attr`.
struct NetPortAttributes
{
    std::uint64_t access;
    std::uint64_t port;
};

static_assert(CreateRulesetVersion == LANDLOCK_CREATE_RULESET_VERSION);
static_assert(RulePathBeneath == LANDLOCK_RULE_PATH_BENEATH);
static_assert(sizeof(PathBeneathAttributes) == sizeof(landlock_path_beneath_attr));
static_assert(landlock::MakeSym == LANDLOCK_ACCESS_FS_MAKE_SYM);
static_assert(landlock::Refer == LANDLOCK_ACCESS_FS_REFER);

Error landlockError(const char *call, const std::string &subject)
{
    return systemError(ErrorKind::Unenforceable, std::string(call) + subject, errno);
}

} // namespace

LandlockSupport queryLandlock()
{
    const long abi = ::syscall(CreateRuleset, nullptr, 0, CreateRulesetVersion);
    return abi > 0 ? LandlockSupport{static_cast<int>(abi), 0} : LandlockSupport{0, errno};
}

Result<Descriptor> compileRuleset(const LandlockPlan &plan, const std::vector<Root> &roots)
{
    const RulesetAttributes attributes{plan.handledFileSystem, plan.handledNetwork, plan.scopes};
    Descriptor ruleset(static_cast<int>(::syscall(CreateRuleset, &attributes, sizeof attributes, 0)));
    if (!ruleset) {
        return landlockError("landlock_create_ruleset", "");
    }
    for (const PathRule &rule : plan.paths) {
        const Root &root = roots[rule.root];
        const PathBeneathAttributes path{rule.access, *root.descriptor};
        if (::syscall(AddRule, ruleset.number(), RulePathBeneath, &path, 0) != 0) {
            return landlockError("landlock_add_rule ", root.path);
        }
    }
    for (const PortRule &rule : plan.ports) {
        const NetPortAttributes port{rule.access, rule.port};
        if (::syscall(AddRule, ruleset.number(), RuleNetPort, &port, 0) != 0) {
            return landlockError("landlock_add_rule port ", std::to_string(rule.port));
        }
    }
    return ruleset;
}

int restrictSelf(int ruleset)
{
    return ::syscall(RestrictSelf, ruleset, 0) == 0 ? 0 : errno;
}

} // namespace spettro::sandbox
