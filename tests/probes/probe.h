// What all probes share: how they report. Exit code 0: done; 1: refused by the kernel, with the error's name
// on standard output; 2: the probe was called wrongly or its own preparation failed.

#ifndef SPETTRO_TESTS_PROBE_H
#define SPETTRO_TESTS_PROBE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/// One thing that a probe can try: returns what the system call returned, with errno set.
struct Act
{
    const char *name;
    int arguments;
    long (*run)(char **arguments);
};

static inline int report(long result)
{
    if (result >= 0) {
        puts("done");
        return 0;
    }
    printf("refused %s\n", strerrorname_np(errno));
    return 1;
}

_Noreturn static inline void fail(const char *step)
{
    fprintf(stderr, "probe: %s: %s\n", step, strerror(errno));
    exit(2);
}

/// `main()` of a probe that is called as `PROBE ACT ARGUMENT...`.
static inline int runAct(const struct Act *acts, size_t count, int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < count; ++i) {
        if (strcmp(acts[i].name, argv[1]) == 0 && argc - 2 == acts[i].arguments) {
            return report(acts[i].run(argv + 2));
        }
    }
    fprintf(stderr, "probe: no such act, or not its number of arguments: %s\n", argc > 1 ? argv[1] : "");
    return 2;
}

#endif
