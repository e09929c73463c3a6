// Tries one thing against another process: `processcall ACT PID`.

#include "probe.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t processOf(char **a)
{
    return (pid_t)atol(a[0]);
}

static long killTerm(char **a)
{
    return kill(processOf(a), SIGTERM);
}

static long killKill(char **a)
{
    return kill(processOf(a), SIGKILL);
}

static long killThread(char **a)
{
    return syscall(SYS_tgkill, processOf(a), processOf(a), SIGTERM);
}

static long queueSignal(char **a)
{
    return sigqueue(processOf(a), SIGTERM, (union sigval){.sival_int = 1});
}

static long killByHandle(char **a)
{
    const int handle = (int)syscall(SYS_pidfd_open, processOf(a), 0);
    return handle < 0 ? -1 : syscall(SYS_pidfd_send_signal, handle, SIGTERM, NULL, 0);
}

/// Has the kernel send the signal when a pipe becomes readable.
static long signalByPipe(char **a)
{
    int ends[2];
    if (pipe(ends) != 0) {
        fail("pipe");
    }
    if (fcntl(ends[0], F_SETOWN, processOf(a)) != 0 || fcntl(ends[0], F_SETSIG, SIGTERM) != 0
        || fcntl(ends[0], F_SETFL, O_ASYNC) != 0) {
        return -1;
    }
    return write(ends[1], "x", 1);
}

/// Signal 0 to everyone is harmless: it only asks who could be signalled.
static long askEveryone(char **a)
{
    (void)a;
    return kill(-1, 0);
}

static long attach(char **a)
{
    return ptrace(PTRACE_ATTACH, processOf(a), NULL, NULL);
}

static long seize(char **a)
{
    return ptrace(PTRACE_SEIZE, processOf(a), NULL, NULL);
}

/// Where the process has its vdso or its program, whatever can be found without its memory map.
static long transferMemory(char **a, long call)
{
    char path[64];
    char line[128] = "";
    snprintf(path, sizeof path, "/proc/%s/maps", a[0]);
    const int maps = open(path, O_RDONLY);
    if (maps >= 0 && read(maps, line, sizeof line - 1) < 0) {
        return -1;
    }
    char byte = 0;
    struct iovec own = {.iov_base = &byte, .iov_len = 1};
    struct iovec other = {.iov_base = (void *)strtoull(line, NULL, 16), .iov_len = 1};
    return syscall(call, processOf(a), &own, 1UL, &other, 1UL, 0UL);
}

static long readMemory(char **a)
{
    return transferMemory(a, SYS_process_vm_readv);
}

static long takeDescriptor(char **a)
{
    const int handle = (int)syscall(SYS_pidfd_open, processOf(a), 0);
    return handle < 0 ? -1 : syscall(SYS_pidfd_getfd, handle, 0, 0);
}

static long compareProcesses(char **a)
{
    return syscall(SYS_kcmp, getpid(), processOf(a), 1 /* KCMP_VM */, 0, 0);
}

static long setLimit(char **a)
{
    struct rlimit limit = {7, 7};
    return prlimit(processOf(a), RLIMIT_NOFILE, &limit, NULL);
}

static long readLimit(char **a)
{
    struct rlimit limit;
    return prlimit(processOf(a), RLIMIT_NOFILE, NULL, &limit);
}

/// What debuggers do: a child that lets itself be traced.
static long traceChild(char **a)
{
    (void)a;
    const pid_t child = fork();
    if (child == 0) {
        _exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 || raise(SIGSTOP) != 0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) {
        return -1;
    }
    return ptrace(PTRACE_CONT, child, NULL, NULL) == 0 && waitpid(child, &status, 0) == child ? 0 : -1;
}

static long endChild(char **a)
{
    (void)a;
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    int status = 0;
    return child > 0 && kill(child, SIGTERM) == 0 && waitpid(child, &status, 0) == child
                   && WIFSIGNALED(status)
               ? 0
               : -1;
}

static const struct Act Acts[] = {
    {"kill-term", 1, killTerm},
    {"kill-kill", 1, killKill},
    {"kill-thread", 1, killThread},
    {"queue", 1, queueSignal},
    {"kill-by-handle", 1, killByHandle},
    {"signal-by-pipe", 1, signalByPipe},
    {"ask-everyone", 0, askEveryone},
    {"attach", 1, attach},
    {"seize", 1, seize},
    {"read-memory", 1, readMemory},
    {"take-descriptor", 1, takeDescriptor},
    {"compare", 1, compareProcesses},
    {"set-limit", 1, setLimit},
    {"read-limit", 1, readLimit},
    {"trace-child", 0, traceChild},
    {"end-child", 0, endChild},
};

int main(int argc, char **argv)
{
    return runAct(Acts, ARRAY_SIZE(Acts), argc, argv);
}
