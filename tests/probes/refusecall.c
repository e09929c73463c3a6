// Stands for a poorer kernel: `refusecall NUMBER ERRNO FIRST-ARGUMENT|any PROGRAM ARGUMENT...` runs a program
// for which that system call (with that first argument) fails with that error number, as in a container's
// filter.

#include "probe.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 5) {
        fputs("probe: refusecall NUMBER ERRNO FIRST-ARGUMENT|any PROGRAM ARGUMENT...\n", stderr);
        return 2;
    }
    const unsigned number = (unsigned)strtoul(argv[1], NULL, 0);
    const unsigned error = (unsigned)strtoul(argv[2], NULL, 0);
    const int isAnyArgument = strcmp(argv[3], "any") == 0;
    const unsigned argument = isAnyArgument ? 0 : (unsigned)strtoul(argv[3], NULL, 0);
    // The jumps end at the last two instructions: allow, refuse.
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, isAnyArgument ? 3 : 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])), // the low half
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, argument, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
    };
    const struct sock_fprog program = {.len = ARRAY_SIZE(filter), .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) {
        fail("seccomp");
    }
    execvp(argv[4], argv + 4);
    fail(argv[4]);
}
