// Runs command lines in turn, round after round, so that whatever else the machine does hits all of them alike.
//
//     compare ROUNDS < LIST      LIST has lines of the form NAME<TAB>COMMAND LINE, split at blanks; the first line
//                                is what the ratios refer to
//
// Prints a line a command: the middle and the shortest wall clock time, the middle CPU time of the whole tree, the
// ratios of the middle times to the first line's, and the largest memory of any process of the tree.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MaxCommands = 32, MaxArguments = 64 };

struct Command
{
    char *name;
    char *arguments[MaxArguments];
    double *wall; // milliseconds, a value a round
    double *cpu;
    long peak; // KiB
    int failures;
};

static double milliseconds(struct timeval time)
{
    return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void runOnce(struct Command *command, int round)
{
    const double start = now();
    const pid_t child = vfork();
    if (child == 0) {
        execvp(command->arguments[0], command->arguments);
        _exit(127);
    }
    int status = 0;
    struct rusage usage;
    wait4(child, &status, 0, &usage);
    command->wall[round] = now() - start;
    command->cpu[round] = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
    command->peak = usage.ru_maxrss > command->peak ? usage.ru_maxrss : command->peak;
    command->failures += status != 0;
}

static int ascending(const void *left, const void *right)
{
    const double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

static int readCommands(struct Command *commands, int rounds)
{
    static char line[4096];
    int count = 0;
    while (count < MaxCommands && fgets(line, sizeof line, stdin) != NULL) {
        char *text = strdup(line);
        struct Command *command = &commands[count++];
        command->name = strsep(&text, "\t\n");
        for (int i = 0; i < MaxArguments - 1 && (command->arguments[i] = strtok(i == 0 ? text : NULL, " \n"));
             ++i) {
        }
        command->wall = calloc((size_t)rounds, sizeof(double));
        command->cpu = calloc((size_t)rounds, sizeof(double));
    }
    return count;
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 0;
    static struct Command commands[MaxCommands];
    const int count = rounds > 0 ? readCommands(commands, rounds) : 0;
    if (count == 0) {
        fputs("usage: compare ROUNDS < LIST\n", stderr);
        return 2;
    }
    const int output = dup(STDOUT_FILENO);
    const int errors = dup(STDERR_FILENO);
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    for (int round = -1; round < rounds; ++round) { // the first round warms up
        for (int i = 0; i < count; ++i) {
            runOnce(&commands[i], round < 0 ? 0 : round);
        }
    }
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);

    printf("%-40s %9s %9s %7s %9s %7s %11s\n", "", "median ms", "least ms", "ratio", "CPU ms", "ratio",
           "memory KiB");
    double baseWall = 0;
    double baseCpu = 0;
    for (int i = 0; i < count; ++i) {
        const struct Command *command = &commands[i];
        qsort(command->wall, (size_t)rounds, sizeof(double), ascending);
        qsort(command->cpu, (size_t)rounds, sizeof(double), ascending);
        const double middle = command->wall[rounds / 2];
        const double cpu = command->cpu[rounds / 2];
        baseWall = i == 0 ? middle : baseWall;
        baseCpu = i == 0 ? cpu : baseCpu;
        printf("%-40s %9.2f %9.2f %7.2f %9.2f %7.2f %11ld", command->name, middle, command->wall[0],
               middle / baseWall, cpu, cpu / baseCpu, command->peak);
        printf(command->failures == 0 ? "\n" : "   %d runs failed\n", command->failures);
    }
    return 0;
}
