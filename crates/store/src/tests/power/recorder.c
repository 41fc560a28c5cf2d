// Loaded before the C library of a process under test: writes down what the process asks of the disk and what it tells
// others, in their order, and lets the disk be full while a file of that name exists. One record per call:
// kind, file, process, offset, length, data.
//   RECORD       the file to write to
//   RECORD_NAMES the files to look at, by the ends of their names, separated by '|': a record has the place in that list
//   RECORD_FULL  while this file exists, writing to those files fails: no space left
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct record {
    uint8_t kind, file;
    uint16_t zero;
    uint32_t process;
    uint64_t offset;
    uint32_t length, end;
};

static void record(char kind, int file, uint64_t offset, const void *data, size_t length) {
    static int fd = -1;
    const char *path = getenv("RECORD");
    if (!path) return;
    if (fd < 0) fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    struct record head = {kind, file, 0, getpid(), offset, data ? length : 0, length};
    struct iovec parts[2] = {{&head, sizeof head}, {(void *)data, data ? length : 0}};
    int kept = errno;
    syscall(SYS_writev, fd, parts, 2);
    errno = kept;
}

// Which of the named files it is; -1 where it is another one.
static int file_of(int fd) {
    const char *names = getenv("RECORD_NAMES");
    char link[32] = "/proc/self/fd/", path[512], digits[12];
    int n = 0, at = 14;
    if (!names || fd < 0) return -1;
    do { digits[n++] = '0' + fd % 10; fd /= 10; } while (fd);
    while (n) link[at++] = digits[--n];
    link[at] = 0;
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length <= 0) return -1;
    path[length] = 0;
    for (int file = 0;; file++) {
        const char *end = strchrnul(names, '|');
        size_t part = end - names;
        // A name that ends with '/' is that of a folder, anywhere in the path.
        if (part && names[part - 1] == '/' && memmem(path, length, names, part)) return file;
        if (part && (size_t)length >= part && !memcmp(path + length - part, names, part)) return file;
        if (!*end) return -1;
        names = end + 1;
    }
}

static int is_full(void) {
    const char *full = getenv("RECORD_FULL");
    int kept = errno, found = full && !syscall(SYS_faccessat, AT_FDCWD, full, F_OK);
    errno = found ? ENOSPC : kept;
    return found;
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
    int file = file_of(fd);
    if (file >= 0 && is_full()) return -1;
    if (file >= 0) record('w', file, offset, data, length);
    return syscall(SYS_pwrite64, fd, data, length, offset);
}
ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) { return pwrite64(fd, data, length, offset); }

ssize_t write(int fd, const void *data, size_t length) {
    int file = file_of(fd);
    if (file >= 0 && is_full()) return -1;
    if (file >= 0) record('w', file, syscall(SYS_lseek, fd, 0, SEEK_CUR), data, length);
    if (fd == STDOUT_FILENO) record('a', 0, 0, data, length);
    return syscall(SYS_write, fd, data, length);
}

int ftruncate64(int fd, off64_t length) {
    int file = file_of(fd);
    if (file >= 0) record('t', file, length, 0, 0);
    return syscall(SYS_ftruncate, fd, length);
}
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

// Written down once it has come back: then all that was written before is on disk.
int fdatasync(int fd) {
    int file = file_of(fd), done = syscall(SYS_fdatasync, fd);
    if (file >= 0 && !done) record('s', file, 0, 0, 0);
    return done;
}
int fsync(int fd) {
    int file = file_of(fd), done = syscall(SYS_fsync, fd);
    if (file >= 0 && !done) record('s', file, 0, 0, 0);
    return done;
}

ssize_t send(int fd, const void *data, size_t length, int flags) {
    record('a', 0, 0, data, length);
    return syscall(SYS_sendto, fd, data, length, flags, 0, 0);
}
