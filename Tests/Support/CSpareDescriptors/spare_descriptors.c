#define _GNU_SOURCE
#include "spare_descriptors.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { COUNT = 256 };
// Opened one by one, so that each is read from its start. 0: none.
static _Atomic int spares[COUNT];
static _Atomic int used;

static int open_file(const char *path, int flags, mode_t mode) {
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int spare_descriptors_open(int lowest) {
    for (int i = 0; i < COUNT; i++) {
        int descriptor = open_file("/proc/self/stat", O_RDONLY | O_CLOEXEC, 0);
        if (descriptor < 0) return i;
        int spare = fcntl(descriptor, F_DUPFD_CLOEXEC, lowest);
        close(descriptor);
        if (spare < 0) return i;
        int before = atomic_exchange(&spares[i], spare);
        if (before > 0) close(before);
    }
    return COUNT;
}

void spare_descriptors_close(void) {
    for (int i = 0; i < COUNT; i++) {
        int spare = atomic_exchange(&spares[i], 0);
        if (spare > 0) close(spare);
    }
}

int spare_descriptors_used(void) { return atomic_load(&used); }

// Whether it is a file that Dispatch opens: /proc/<thread>/stat. Others open these with O_CLOEXEC.
static int is_of_dispatch(const char *path, int flags) {
    if (flags != (O_RDONLY | O_NONBLOCK) || strncmp(path, "/proc/", 6) != 0) return 0;
    const char *rest = path + 6;
    while (isdigit((unsigned char)*rest)) rest++;
    return rest > path + 6 && strcmp(rest, "/stat") == 0;
}

int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    int descriptor = open_file(path, flags, mode);
    if (descriptor >= 0 || errno != EMFILE || !is_of_dispatch(path, flags)) return descriptor;
    for (int i = 0; i < COUNT; i++) {
        int spare = atomic_exchange(&spares[i], 0);
        if (spare <= 0) continue;
        atomic_fetch_add(&used, 1);
        return spare;
    }
    // The shortage may have ended meanwhile.
    return open_file(path, flags, mode);
}
