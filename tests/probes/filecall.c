// Tries one call on files: `filecall ACT PATH [PATH]`. What it writes is "attack".

#include "probe.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const char Text[] = "attack\n";

static long writeTo(int descriptor)
{
    return descriptor < 0 ? -1 : write(descriptor, Text, strlen(Text));
}

static long openWrite(char **a)
{
    return writeTo(open(a[0], O_WRONLY));
}

static long openAppend(char **a)
{
    return writeTo(open(a[0], O_WRONLY | O_APPEND));
}

static long openReadWrite(char **a)
{
    return writeTo(open(a[0], O_RDWR));
}

static long openWriteTruncate(char **a)
{
    return open(a[0], O_WRONLY | O_CREAT | O_TRUNC, 0666);
}

static long openReadTruncate(char **a)
{
    return open(a[0], O_RDONLY | O_TRUNC);
}

/// Access mode 3 asks for neither reading nor writing, only for control calls on devices.
static long openNeitherTruncate(char **a)
{
    return open(a[0], O_ACCMODE | O_TRUNC);
}

static long openat2Truncate(char **a)
{
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = O_RDONLY | O_TRUNC;
    return syscall(SYS_openat2, AT_FDCWD, a[0], &how, sizeof how);
}

static long create(char **a)
{
    return writeTo(open(a[0], O_WRONLY | O_CREAT, 0666));
}

static long createNew(char **a)
{
    return writeTo(open(a[0], O_WRONLY | O_CREAT | O_EXCL, 0666));
}

static long createEmpty(char **a)
{
    return creat(a[0], 0666);
}

static long createFromFolder(char **a)
{
    const int folder = open(a[0], O_PATH | O_DIRECTORY);
    return writeTo(openat(folder, a[1], O_WRONLY | O_CREAT, 0666));
}

static long createFromCurrent(char **a)
{
    return chdir(a[0]) != 0 ? -1 : writeTo(open(a[1], O_WRONLY | O_CREAT, 0666));
}

/// An unnamed file in a folder, which then gets a name there.
static long createUnnamed(char **a)
{
    const int file = open(a[0], O_TMPFILE | O_WRONLY, 0666);
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", file);
    return writeTo(file) < 0 ? -1 : linkat(AT_FDCWD, self, AT_FDCWD, a[1], AT_SYMLINK_FOLLOW);
}

static long truncatePath(char **a)
{
    return truncate(a[0], 0);
}

static long makeFolder(char **a)
{
    return mkdir(a[0], 0777);
}

static long removeFolder(char **a)
{
    return rmdir(a[0]);
}

static long removeFile(char **a)
{
    return unlink(a[0]);
}

static long renamePath(char **a)
{
    return rename(a[0], a[1]);
}

static long exchangePaths(char **a)
{
    return renameat2(AT_FDCWD, a[0], AT_FDCWD, a[1], RENAME_EXCHANGE);
}

static long linkPath(char **a)
{
    return link(a[0], a[1]);
}

/// Links an open file, by its name in /proc.
static long linkOpenFile(char **a)
{
    const int file = open(a[0], O_PATH);
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", file);
    return file < 0 ? -1 : linkat(AT_FDCWD, self, AT_FDCWD, a[1], AT_SYMLINK_FOLLOW);
}

static long makeLink(char **a)
{
    return symlink(a[0], a[1]);
}

static long makeCharacterNode(char **a)
{
    return mknod(a[0], S_IFCHR | 0666, makedev(1, 5));
}

static long makeBlockNode(char **a)
{
    return mknod(a[0], S_IFBLK | 0666, makedev(7, 0));
}

static long makePipe(char **a)
{
    return mkfifo(a[0], 0666);
}

static long makeRegularNode(char **a)
{
    return mknod(a[0], S_IFREG | 0666, 0);
}

static long makeSocketNode(char **a)
{
    return mknod(a[0], S_IFSOCK | 0666, 0);
}

/// Writes through shared memory.
static long mapShared(char **a)
{
    const int file = open(a[0], O_RDWR);
    char *memory = file < 0 ? MAP_FAILED : mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        return -1;
    }
    memory[0] = 'X';
    return msync(memory, 1, MS_SYNC);
}

static long reopen(const char *path, int flags)
{
    const int file = open(path, flags);
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", file);
    return file < 0 ? -1 : writeTo(open(self, O_RDWR));
}

/// Opens without any right, then once more for writing, by the name in /proc.
static long reopenPath(char **a)
{
    return reopen(a[0], O_PATH);
}

static long reopenReadable(char **a)
{
    return reopen(a[0], O_RDONLY);
}

static long readPath(char **a)
{
    char bytes[4096];
    const int file = open(a[0], O_RDONLY | O_NONBLOCK | O_NOCTTY);
    ssize_t count = file < 0 ? -1 : 0;
    while (file >= 0 && (count = read(file, bytes, sizeof bytes)) > 0) {
        fwrite(bytes, 1, (size_t)count, stdout);
    }
    return count;
}

/// Opens only: reading some devices has effects.
static long openRead(char **a)
{
    return open(a[0], O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

static long listFolder(char **a)
{
    DIR *folder = opendir(a[0]);
    if (folder == NULL) {
        return -1;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        puts(entry->d_name);
    }
    return 0;
}

static long execute(char **a)
{
    char *const arguments[] = {a[0], NULL};
    char *const environment[] = {NULL};
    return execve(a[0], arguments, environment);
}

/// Executes what it has opened without any right.
static long executeOpenFile(char **a)
{
    char *const arguments[] = {a[0], NULL};
    char *const environment[] = {NULL};
    const int file = open(a[0], O_PATH);
    return file < 0 ? -1 : syscall(SYS_execveat, file, "", arguments, environment, AT_EMPTY_PATH);
}

/// A call that the device does not know: ENOTTY where it may be asked at all.
static long askDevice(char **a)
{
    char bytes[64];
    const int device = open(a[0], O_RDWR);
    return device < 0 ? -1 : syscall(SYS_ioctl, device, 0x5401 /* TCGETS */, bytes);
}

static long openDevice(char **a)
{
    return open(a[0], O_RDWR | O_CREAT | O_TRUNC | O_NOCTTY, 0666);
}

static const struct Act Acts[] = {
    {"open-write", 1, openWrite},
    {"open-append", 1, openAppend},
    {"open-read-write", 1, openReadWrite},
    {"open-write-truncate", 1, openWriteTruncate},
    {"open-read-truncate", 1, openReadTruncate},
    {"open-neither-truncate", 1, openNeitherTruncate},
    {"openat2-truncate", 1, openat2Truncate},
    {"create", 1, create},
    {"create-new", 1, createNew},
    {"create-empty", 1, createEmpty},
    {"create-from-folder", 2, createFromFolder},
    {"create-from-current", 2, createFromCurrent},
    {"create-unnamed", 2, createUnnamed},
    {"truncate", 1, truncatePath},
    {"mkdir", 1, makeFolder},
    {"rmdir", 1, removeFolder},
    {"unlink", 1, removeFile},
    {"rename", 2, renamePath},
    {"exchange", 2, exchangePaths},
    {"link", 2, linkPath},
    {"link-open-file", 2, linkOpenFile},
    {"symlink", 2, makeLink},
    {"mknod-character", 1, makeCharacterNode},
    {"mknod-block", 1, makeBlockNode},
    {"mknod-pipe", 1, makePipe},
    {"mknod-regular", 1, makeRegularNode},
    {"mknod-socket", 1, makeSocketNode},
    {"map-shared", 1, mapShared},
    {"reopen-path", 1, reopenPath},
    {"reopen-readable", 1, reopenReadable},
    {"read", 1, readPath},
    {"open-read", 1, openRead},
    {"list", 1, listFolder},
    {"execute", 1, execute},
    {"execute-open-file", 1, executeOpenFile},
    {"ask-device", 1, askDevice},
    {"open-device", 1, openDevice},
};

int main(int argc, char **argv)
{
    return runAct(Acts, ARRAY_SIZE(Acts), argc, argv);
}
