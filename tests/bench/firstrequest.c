// Measures how long programs take from their start to the first byte of their first request to a server, and what memory
// they have while they wait for its answer.
//
//     firstrequest ROUNDS < LIST      LIST has lines of the form NAME<TAB>COMMAND LINE, split at blanks; %PORT% in it
//                                     becomes the port of a server here that never answers; the first line is what the
//                                     ratios refer to
//
// Prints a line a command: the middle and the shortest time, the ratio of the middle ones, and the largest proportional
// memory (shared pages counted by their part) of the process that was started.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MaxCommands = 16, MaxArguments = 64, Patience = 20000, Settling = 300000 /* microseconds */ };

struct Command
{
    char *name;
    char *arguments[MaxArguments];
    double *times; // milliseconds, a value a round
    long memory;   // KiB
    int failures;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int listenHere(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server < 0 || bind(server, (struct sockaddr *)&address, size) != 0 || listen(server, 64) != 0
        || getsockname(server, (struct sockaddr *)&address, &size) != 0) {
        perror("firstrequest");
        exit(1);
    }
    *port = ntohs(address.sin_port);
    return server;
}

// Waits for a connection with something in it. Returns its socket, -1 where none comes.
static int awaitRequest(int server)
{
    struct pollfd wait = {.fd = server, .events = POLLIN};
    if (poll(&wait, 1, Patience) != 1) {
        return -1;
    }
    const int connection = accept4(server, NULL, NULL, SOCK_CLOEXEC);
    char byte;
    if (recv(connection, &byte, 1, MSG_PEEK) != 1) {
        close(connection);
        return -1;
    }
    return connection;
}

static long proportionalMemory(pid_t process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", process);
    FILE *file = fopen(path, "re");
    char line[256];
    long kilobytes = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        sscanf(line, "Pss: %ld", &kilobytes);
    }
    if (file != NULL) {
        fclose(file);
    }
    return kilobytes;
}

static void runOnce(struct Command *command, int server, int round)
{
    const double start = now();
    const pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        execvp(command->arguments[0], command->arguments);
        _exit(127);
    }
    const int connection = awaitRequest(server);
    command->times[round] = now() - start;
    command->failures += connection < 0;
    usleep(Settling);
    const long memory = proportionalMemory(child);
    command->memory = memory > command->memory ? memory : command->memory;
    kill(-child, SIGKILL);
    waitpid(child, NULL, 0);
    if (connection >= 0) {
        close(connection);
    }
    struct pollfd rest = {.fd = server, .events = POLLIN};
    while (poll(&rest, 1, 0) == 1) { // further connections of the one that is gone
        close(accept4(server, NULL, NULL, SOCK_CLOEXEC));
    }
}

static int ascending(const void *left, const void *right)
{
    const double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

static char *withPort(const char *argument, int port)
{
    const char *mark = strstr(argument, "%PORT%");
    char *text = NULL;
    if (mark == NULL) {
        return strdup(argument);
    }
    if (asprintf(&text, "%.*s%d%s", (int)(mark - argument), argument, port, mark + 6) < 0) {
        exit(1);
    }
    return text;
}

static int readCommands(struct Command *commands, int rounds, int port)
{
    static char line[4096];
    int count = 0;
    while (count < MaxCommands && fgets(line, sizeof line, stdin) != NULL) {
        char *text = strdup(line);
        struct Command *command = &commands[count++];
        command->name = strsep(&text, "\t\n");
        int arguments = 0;
        for (const char *part = strtok(text, " \n"); part != NULL && arguments < MaxArguments - 1;
             part = strtok(NULL, " \n")) {
            command->arguments[arguments++] = withPort(part, port);
        }
        command->times = calloc((size_t)rounds, sizeof(double));
    }
    return count;
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 0;
    int port = 0;
    const int server = listenHere(&port);
    static struct Command commands[MaxCommands];
    const int count = rounds > 0 ? readCommands(commands, rounds, port) : 0;
    if (count == 0) {
        fputs("usage: firstrequest ROUNDS < LIST\n", stderr);
        return 2;
    }
    const int output = dup(STDOUT_FILENO);
    const int errors = dup(STDERR_FILENO);
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    for (int round = -1; round < rounds; ++round) { // the first round warms up
        for (int i = 0; i < count; ++i) {
            runOnce(&commands[i], server, round < 0 ? 0 : round);
        }
    }
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);

    printf("%-40s %9s %9s %7s %11s\n", "", "median ms", "least ms", "ratio", "memory KiB");
    double base = 0;
    for (int i = 0; i < count; ++i) {
        const struct Command *command = &commands[i];
        qsort(command->times, (size_t)rounds, sizeof(double), ascending);
        const double middle = command->times[rounds / 2];
        base = i == 0 ? middle : base;
        printf("%-40s %9.2f %9.2f %7.2f %11ld", command->name, middle, command->times[0], middle / base,
               command->memory);
        printf(command->failures == 0 ? "\n" : "   %d runs asked nothing\n", command->failures);
    }
    return 0;
}
