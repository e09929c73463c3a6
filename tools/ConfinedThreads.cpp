#include "tools/ConfinedThreads.h"

#include "sandbox/linux/Landlock.h"
#include "sandbox/linux/SystemError.h"

#include <sys/prctl.h>

#include <cerrno>

namespace spettro {

using namespace sandbox;

namespace {

constexpr int MostThreads = 64; // a call of a shell tool holds one until its command has ended

/// Takes the domain, once for each thread. Both steps are the thread's own and cannot be taken back.
std::optional<Error> enterDomain(int ruleset)
{
    thread_local bool hasEntered = false;
    if (ruleset < 0 || hasEntered) {
        return std::nullopt;
    }
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return systemError(ErrorKind::Unenforceable, "prctl PR_SET_NO_NEW_PRIVS", errno);
    }
    if (const int error = restrictSelf(ruleset)) {
        return systemError(ErrorKind::Unenforceable, "landlock_restrict_self of a file thread", error);
    }
    hasEntered = true;
    return std::nullopt;
}

} // namespace

ConfinedThreads::ConfinedThreads(LaunchThread &launcher, int ruleset)
    : m_launcher(launcher), m_ruleset(ruleset)
{
    m_anyTime.setMaxThreadCount(MostThreads);
    m_inTurn.setMaxThreadCount(1);
}

ConfinedThreads::~ConfinedThreads()
{
    finishAll();
}

void ConfinedThreads::finishAll()
{
    m_launcher.postAndWait([] {}); // behind it nothing is on its way to the pools any more
    m_inTurn.waitForDone();
    m_anyTime.waitForDone();
}

void ConfinedThreads::run(Order order, Work work)
{
    QThreadPool *pool = order == Order::InTurn ? &m_inTurn : &m_anyTime;
    // A pool starts its threads from the thread that asks, and a thread begins in the domain of its creator.
    m_launcher.post([pool, ruleset = m_ruleset, work = std::move(work)] {
        pool->start([ruleset, work] { work(enterDomain(ruleset)); });
    });
}

} // namespace spettro
