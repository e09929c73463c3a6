// The floor: the least that a confined launch can cost. One static C program that builds a Landlock ruleset with as
// many path rules as an ordinary policy has, installs a syscall filter of ordinary size and execs. No monitor, no
// command line to read, no environment to clean, nothing that ends the command's processes.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const uint64_t AllKnown = (1ULL << 14) - 1; // what the oldest supported build headers name: ABI 2
static const uint64_t Read =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;

static void allow(int ruleset, const char *path, uint64_t rights)
{
    struct landlock_path_beneath_attr rule = {.allowed_access = rights,
                                              .parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent_fd >= 0) {
        syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
        close(rule.parent_fd);
    }
}

static int restrictFiles(void)
{
    static const char *const readable[] = {"/usr",       "/etc",         "/opt",           "/proc",
                                           "/sys/block", "/sys/bus",     "/sys/dev",       "/sys/class",
                                           "/sys/fs",    "/sys/devices", "/sys/kernel/mm", "/sys/module",
                                           "/var/lib",   "/var/cache",   "/run/udev",      "/run/systemd"};
    static const char *const files[] = {"/dev/null",    "/dev/zero", "/dev/full", "/dev/random",
                                        "/dev/urandom", "/dev/tty",  "/dev/ptmx"};
    static const char *const writable[] = {"/dev/pts", "/dev/shm", "/tmp", "/var/tmp", "."};
    const struct landlock_ruleset_attr attributes = {.handled_access_fs = AllKnown};
    const int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    for (size_t i = 0; i < sizeof readable / sizeof *readable; ++i) {
        allow(ruleset, readable[i], Read);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        allow(ruleset, files[i], LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE);
    }
    for (size_t i = 0; i < sizeof writable / sizeof *writable; ++i) {
        allow(ruleset, writable[i], AllKnown);
    }
    return (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
}

// A chain of comparisons: forty calls refused, sockets looked at, the rest allowed.
static int restrictCalls(void)
{
    static const int refused[] = {SYS_mount,
                                  SYS_umount2,
                                  SYS_pivot_root,
                                  SYS_setns,
                                  SYS_unshare,
                                  SYS_bpf,
                                  SYS_keyctl,
                                  SYS_add_key,
                                  SYS_request_key,
                                  SYS_userfaultfd,
                                  SYS_io_uring_setup,
                                  SYS_io_uring_enter,
                                  SYS_io_uring_register,
                                  SYS_perf_event_open,
                                  SYS_init_module,
                                  SYS_finit_module,
                                  SYS_delete_module,
                                  SYS_reboot,
                                  SYS_swapon,
                                  SYS_swapoff,
                                  SYS_acct,
                                  SYS_quotactl,
                                  SYS_settimeofday,
                                  SYS_clock_settime,
                                  SYS_sethostname,
                                  SYS_setdomainname,
                                  SYS_vhangup,
                                  SYS_kexec_load,
                                  SYS_fsopen,
                                  SYS_fsconfig,
                                  SYS_fsmount,
                                  SYS_fspick,
                                  SYS_open_tree,
                                  SYS_move_mount,
                                  SYS_mount_setattr,
                                  SYS_open_by_handle_at,
                                  SYS_clone3,
                                  SYS_socket};
    enum { Count = sizeof refused / sizeof *refused };
    struct sock_filter code[2 * Count + 2];
    size_t size = 0;
    code[size++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < Count; ++i) {
        code[size++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)refused[i], 0, 1);
        code[size++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    code[size++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {.len = (unsigned short)size, .filter = code};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

int main(int argc, char **argv)
{
    if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || restrictFiles() != 0
        || restrictCalls() != 0) {
        return 126;
    }
    execv(argv[1], argv + 1);
    return 127;
}
