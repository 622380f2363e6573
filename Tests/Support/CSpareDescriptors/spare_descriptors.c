#define _GNU_SOURCE
#include "spare_descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { COUNT = 256 };
// Each has a position of its own in the file. 0: none.
static _Atomic int spares[COUNT];
static _Atomic int used;

static int open_file(const char *path, int flags, mode_t mode) {
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

void spare_descriptors_open(int lowest) {
    for (int i = 0; i < COUNT; i++) {
        int descriptor = open_file("/proc/self/stat", O_RDONLY | O_CLOEXEC, 0);
        if (descriptor < 0) return;
        int spare = fcntl(descriptor, F_DUPFD_CLOEXEC, lowest);
        close(descriptor);
        if (spare < 0) return;
        int before = atomic_exchange(&spares[i], spare);
        if (before > 0) close(before);
    }
}

void spare_descriptors_close(void) {
    for (int i = 0; i < COUNT; i++) {
        int spare = atomic_exchange(&spares[i], 0);
        if (spare > 0) close(spare);
    }
}

int spare_descriptors_used(void) { return atomic_load(&used); }

int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    int descriptor = open_file(path, flags, mode);
    if (descriptor >= 0 || errno != EMFILE || strncmp(path, "/proc/", 6) != 0) return descriptor;
    for (int i = 0; i < COUNT; i++) {
        int spare = atomic_exchange(&spares[i], 0);
        if (spare <= 0) continue;
        atomic_fetch_add(&used, 1);
        return spare;
    }
    errno = EMFILE;
    return -1;
}
