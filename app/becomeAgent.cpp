#include "app/becomeAgent.h"

#include "sandbox/child/ExitCode.h"
#include "sandbox/linux/SystemError.h"

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <string>

namespace spettro {

int becomeAgent(char *const *arguments)
{
    char self[PATH_MAX];
    const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self);
    if (length <= 0) {
        std::fprintf(stderr, "spettro: /proc/self/exe: %s\n", sandbox::errorText(errno).c_str());
        return sandbox::ExitUnenforceable;
    }
    std::string agent(self, static_cast<std::size_t>(length));
    agent.replace(agent.rfind('/') + 1, std::string::npos, "spettro-agent");
    ::execv(agent.c_str(), arguments);
    std::fprintf(stderr, "spettro: %s: %s\n", agent.c_str(), sandbox::errorText(errno).c_str());
    return sandbox::ExitUnenforceable;
}

} // namespace spettro
