// grow FIFO MEMBERS KIND...
//
// Grows a tree of processes in ways that make it hard to end, each member holding FIFO open for writing: its reader
// sees the end of the file when the last one is gone. Every member writes one byte once it is in place. When all
// have, as MEMBERS says, the kind `leave` ends this process with code 0; otherwise it stays. All end by themselves
// after a minute, the hopper after five seconds.

#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int alive;

static void ignoreAll(void)
{
    for (int number = 1; number < 32; ++number) {
        signal(number, SIG_IGN);
    }
    signal(SIGCHLD, SIG_DFL);
}

static void sleepLong(void)
{
    for (time_t end = time(NULL) + 60; time(NULL) < end;) {
        sleep(1);
    }
    _exit(0);
}

static void report(void)
{
    if (write(alive, "x", 1) != 1) {
        _exit(1);
    }
}

static void stay(void)
{
    report();
    sleepLong();
}

/// A process that is never the same for longer than 200 us.
static void hop(void)
{
    setsid();
    report();
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        if (fork() != 0) {
            _exit(0);
        }
        usleep(200);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - start.tv_sec < 5);
    _exit(0);
}

static void grow(const char *kind)
{
    if (strcmp(kind, "plain") == 0) {
        if (fork() == 0) {
            stay();
        }
    } else if (strcmp(kind, "setsid") == 0) {
        if (fork() == 0) {
            setsid();
            stay();
        }
    } else if (strcmp(kind, "daemon") == 0) {
        if (fork() == 0) {
            setsid();
            if (fork() != 0) {
                _exit(0);
            }
            stay();
        }
    } else if (strcmp(kind, "stubborn") == 0) {
        if (fork() == 0) {
            ignoreAll();
            setpgid(0, 0);
            stay();
        }
    } else if (strcmp(kind, "stopped") == 0) {
        if (fork() == 0) {
            report();
            raise(SIGSTOP);
            sleepLong();
        }
    } else if (strcmp(kind, "wide") == 0) {
        for (int member = 0; member < 100; ++member) {
            grow(member % 2 ? "daemon" : "stubborn");
        }
    } else if (strcmp(kind, "deep") == 0) {
        if (fork() == 0) {
            for (int level = 1; level < 30; ++level) {
                report();
                if (fork() != 0) {
                    sleepLong();
                }
                setsid();
                ignoreAll();
            }
            stay();
        }
    } else if (strcmp(kind, "hopper") == 0) {
        if (fork() == 0) {
            hop();
        }
    } else {
        _exit(2);
    }
}

int main(int argc, char **argv)
{
    alive = open(argv[1], O_WRONLY);
    if (alive < 0 || argc < 4) {
        return 2;
    }
    const int back = open(argv[1], O_RDONLY | O_NONBLOCK); // unused bytes in the pipe count members
    int leaves = 0;
    for (int kind = 3; kind < argc; ++kind) {
        if (strcmp(argv[kind], "leave") == 0) {
            leaves = 1;
        } else if (strcmp(argv[kind], "ignore") == 0) {
            ignoreAll();
        } else {
            grow(argv[kind]);
        }
    }
    for (int present = 0; leaves && present < atoi(argv[2]);) {
        usleep(1000);
        if (ioctl(back, FIONREAD, &present) != 0) {
            return 2;
        }
    }
    close(back);
    if (leaves) {
        return 0;
    }
    sleepLong();
}
