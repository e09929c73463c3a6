// Tries one call that leads around the rules: `syscalls ACT ARGUMENT...`. Unnamed ones go by their number.

#include "probe.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long number(const char *text)
{
    return (long)strtoull(text, NULL, 0);
}

/// `call NUMBER`, with no valid argument: tells a call that is refused (by its error) from one that is there.
static long callByNumber(char **a)
{
    return syscall(number(a[0]), -1L, -1L, -1L, -1L, -1L, -1L);
}

static long ioUringSetup(char **a)
{
    (void)a;
    char parameters[256];
    memset(parameters, 0, sizeof parameters);
    return syscall(SYS_io_uring_setup, 4, parameters);
}

static long userfault(char **a)
{
    (void)a;
    return syscall(SYS_userfaultfd, 1 /* UFFD_USER_MODE_ONLY */);
}

/// BPF_PROG_LOAD of `return 0` as a socket filter; as a user it depends on a setting of the host.
static long loadBpf(char **a)
{
    (void)a;
    const unsigned long long program[] = {0xb7, 0x95}; // r0 = 0; exit
    struct
    {
        unsigned type;
        unsigned count;
        unsigned long long instructions;
        unsigned long long license;
        char rest[96];
    } attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.type = 1; // BPF_PROG_TYPE_SOCKET_FILTER
    attributes.count = ARRAY_SIZE(program);
    attributes.instructions = (unsigned long long)(size_t)program;
    attributes.license = (unsigned long long)(size_t) "GPL";
    return syscall(SYS_bpf, 5, &attributes, sizeof attributes);
}

static long sessionKeyring(char **a)
{
    (void)a;
    return syscall(SYS_keyctl, 0L /* KEYCTL_GET_KEYRING_ID */, -4L /* the user's keyring */, 1L);
}

static long addKey(char **a)
{
    return syscall(SYS_add_key, "user", a[0], "x", 1L, -2L /* the process's keyring */);
}

static long perfEvent(char **a)
{
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.size = sizeof attributes;
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
    attributes.exclude_kernel = 1;
    attributes.disabled = 1;
    return syscall(SYS_perf_event_open, &attributes, (int)number(a[0]), -1, -1, 0);
}

#if defined(__x86_64__)
/// socket(AF_INET, SOCK_STREAM, 0) by the gate of 32-bit programs.
static long socketByInt80(char **a)
{
    (void)a;
    int result;
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(359), "b"(AF_INET), "c"(SOCK_STREAM), "d"(0)
                     : "memory");
    errno = result < 0 ? -result : 0;
    return result < 0 ? -1 : result;
}
#else
static long socketByInt80(char **a)
{
    (void)a;
    errno = ENOSYS;
    return -1;
}
#endif

/// The same by the x32 interface, whose numbers have bit 30 set.
static long socketByX32(char **a)
{
    (void)a;
    return syscall(0x40000000 | SYS_socket, AF_INET, SOCK_STREAM, 0);
}

static long makeNamespace(char **a)
{
    return unshare((int)number(a[0]));
}

static long cloneNamespace(char **a)
{
    const long child = syscall(SYS_clone, number(a[0]) | SIGCHLD, 0L, 0L, 0L, 0L);
    if (child == 0) {
        _exit(0);
    }
    return child;
}

static long clone3Namespace(char **a)
{
    unsigned long long arguments[11] = {0};
    arguments[0] = (unsigned long long)number(a[0]);
    arguments[4] = SIGCHLD;
    const long child = syscall(SYS_clone3, arguments, sizeof arguments);
    if (child == 0) {
        _exit(0);
    }
    return child;
}

/// Joins the namespace that a file in /proc stands for.
static long joinNamespace(char **a)
{
    const int file = open(a[0], O_RDONLY);
    return file < 0 ? -1 : setns(file, 0);
}

static long mountTmpfs(char **a)
{
    return mount("none", a[0], "tmpfs", 0, NULL);
}

static long bindMount(char **a)
{
    return mount(a[0], a[1], NULL, MS_BIND, NULL);
}

static long unmount(char **a)
{
    return umount2(a[0], MNT_DETACH);
}

static long pivotRoot(char **a)
{
    return syscall(SYS_pivot_root, a[0], a[0]);
}

static long fsOpen(char **a)
{
    (void)a;
    return syscall(SYS_fsopen, "tmpfs", 0);
}

/// A detached copy of a mount.
static long openTree(char **a)
{
    return syscall(SYS_open_tree, AT_FDCWD, a[0], 1 /* OPEN_TREE_CLONE */);
}

/// Takes the read-only flag off a mount.
static long mountSetattr(char **a)
{
    unsigned long long attributes[4] = {0, 1 /* clear MOUNT_ATTR_RDONLY */, 0, 0};
    return syscall(SYS_mount_setattr, AT_FDCWD, a[0], 0, attributes, sizeof attributes);
}

/// Opens a file by its handle, past every folder.
static long openByHandle(char **a)
{
    struct
    {
        struct file_handle head;
        unsigned char bytes[MAX_HANDLE_SZ];
    } handle;
    int mountId;
    memset(&handle, 0, sizeof handle);
    handle.head.handle_bytes = MAX_HANDLE_SZ;
    if (name_to_handle_at(AT_FDCWD, a[0], &handle.head, &mountId, 0) != 0) {
        fail("name_to_handle_at");
    }
    const int mountPoint = open(a[1], O_RDONLY | O_DIRECTORY);
    return mountPoint < 0 ? -1 : open_by_handle_at(mountPoint, &handle.head, O_RDONLY);
}

static long changeRoot(char **a)
{
    return chroot(a[0]);
}

/// A control call on standard input; the number may have bits above the lowest 32, which the kernel ignores.
static long terminalCall(char **a)
{
    char argument = '#';
    return syscall(SYS_ioctl, 0, number(a[0]), &argument);
}

static long setUser(char **a)
{
    return setuid((uid_t)number(a[0]));
}

static long writeToDescriptor(char **a)
{
    return write((int)number(a[0]), "attack", 6);
}

static const struct Act Acts[] = {
    {"call", 1, callByNumber},           {"io-uring-setup", 0, ioUringSetup},
    {"userfaultfd", 0, userfault},       {"bpf", 0, loadBpf},
    {"keyring", 0, sessionKeyring},      {"add-key", 1, addKey},
    {"perf-event", 1, perfEvent},        {"socket-int80", 0, socketByInt80},
    {"socket-x32", 0, socketByX32},      {"unshare", 1, makeNamespace},
    {"clone", 1, cloneNamespace},        {"clone3", 1, clone3Namespace},
    {"setns", 1, joinNamespace},         {"mount-tmpfs", 1, mountTmpfs},
    {"mount-bind", 2, bindMount},        {"umount", 1, unmount},
    {"pivot-root", 1, pivotRoot},        {"fsopen", 0, fsOpen},
    {"open-tree", 1, openTree},          {"mount-setattr", 1, mountSetattr},
    {"open-by-handle", 2, openByHandle}, {"chroot", 1, changeRoot},
    {"terminal", 1, terminalCall},       {"setuid", 1, setUser},
    {"write", 1, writeToDescriptor},
};

int main(int argc, char **argv)
{
    return runAct(Acts, ARRAY_SIZE(Acts), argc, argv);
}
