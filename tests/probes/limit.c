// Stands for a machine at its limits: `limit nofile|nproc|core NUMBER PROGRAM ARGUMENT...` runs a program
// with that resource limit, soft and hard.

#include "probe.h"

#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static const struct
    {
        const char *name;
        int resource;
    } limits[] = {{"nofile", RLIMIT_NOFILE}, {"nproc", RLIMIT_NPROC}, {"core", RLIMIT_CORE}};
    if (argc < 4) {
        fputs("probe: limit nofile|nproc|core NUMBER PROGRAM ARGUMENT...\n", stderr);
        return 2;
    }
    const struct rlimit limit = {strtoul(argv[2], NULL, 10), strtoul(argv[2], NULL, 10)};
    for (size_t i = 0; i < ARRAY_SIZE(limits); ++i) {
        if (strcmp(limits[i].name, argv[1]) == 0 && setrlimit((unsigned)limits[i].resource, &limit) != 0) {
            fail("setrlimit");
        }
    }
    execvp(argv[3], argv + 3);
    fail(argv[3]);
}
