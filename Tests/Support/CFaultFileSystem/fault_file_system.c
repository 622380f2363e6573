#include "fault_file_system.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct fault_file_system {
    sqlite3_vfs vfs;
    sqlite3_vfs *below;
    pthread_mutex_t mutex;
    char name[64];
    int64_t skipped[FAULT_KINDS], failing[FAULT_KINDS], counts[FAULT_KINDS];
    int codes[FAULT_KINDS];
    int64_t failures;
    int64_t creations;
    int is_recording;
    fault_record *records;
    int64_t count, capacity;
};

typedef struct {
    sqlite3_file base;
    fault_file_system *fs;
    int is_journal;
    // The number of the system's error of a read that failed here.
    int error;
    sqlite3_file *below;
} fault_file;

static void note(fault_file_system *fs, int kind, int is_journal, int64_t offset, const void *bytes, int64_t length) {
    if (!fs->is_recording) return;
    if (fs->count == fs->capacity) {
        int64_t capacity = fs->capacity ? fs->capacity * 2 : 1024;
        fault_record *grown = realloc(fs->records, (size_t)capacity * sizeof(fault_record));
        if (!grown) abort();
        fs->records = grown;
        fs->capacity = capacity;
    }
    uint8_t *copy = NULL;
    if (length > 0 && bytes) {
        copy = malloc((size_t)length);
        if (!copy) abort();
        memcpy(copy, bytes, (size_t)length);
    }
    fs->records[fs->count++] = (fault_record){kind, is_journal, offset, length, copy};
}

// The result code with which an operation fails, or SQLITE_OK.
static int fault(fault_file_system *fs, int kind) {
    fs->counts[kind]++;
    if (fs->failing[kind] <= 0) return SQLITE_OK;
    if (fs->skipped[kind] > 0) {
        fs->skipped[kind]--;
        return SQLITE_OK;
    }
    fs->failing[kind]--;
    fs->failures++;
    return fs->codes[kind];
}

static int f_close(sqlite3_file *file) {
    fault_file *f = (fault_file *)file;
    return f->below->pMethods ? f->below->pMethods->xClose(f->below) : SQLITE_OK;
}
static int f_read(sqlite3_file *file, void *to, int count, sqlite3_int64 offset) {
    fault_file *f = (fault_file *)file;
    pthread_mutex_lock(&f->fs->mutex);
    int code = fault(f->fs, FAULT_READ);
    pthread_mutex_unlock(&f->fs->mutex);
    if ((code & 0xff) == SQLITE_IOERR) f->error = EIO;
    return code != SQLITE_OK ? code : f->below->pMethods->xRead(f->below, to, count, offset);
}
static int f_write(sqlite3_file *file, const void *from, int count, sqlite3_int64 offset) {
    fault_file *f = (fault_file *)file;
    pthread_mutex_lock(&f->fs->mutex);
    int code = fault(f->fs, FAULT_WRITE);
    if (code == SQLITE_OK) note(f->fs, FAULT_WRITE, f->is_journal, offset, from, count);
    pthread_mutex_unlock(&f->fs->mutex);
    return code != SQLITE_OK ? code : f->below->pMethods->xWrite(f->below, from, count, offset);
}
static int f_truncate(sqlite3_file *file, sqlite3_int64 size) {
    fault_file *f = (fault_file *)file;
    pthread_mutex_lock(&f->fs->mutex);
    int code = fault(f->fs, FAULT_TRUNCATE);
    if (code == SQLITE_OK) note(f->fs, FAULT_TRUNCATE, f->is_journal, size, NULL, 0);
    pthread_mutex_unlock(&f->fs->mutex);
    return code != SQLITE_OK ? code : f->below->pMethods->xTruncate(f->below, size);
}
static int f_sync(sqlite3_file *file, int flags) {
    fault_file *f = (fault_file *)file;
    pthread_mutex_lock(&f->fs->mutex);
    int code = fault(f->fs, FAULT_SYNC);
    note(f->fs, code == SQLITE_OK ? FAULT_SYNC : FAULT_FAILED_SYNC, f->is_journal, 0, NULL, 0);
    pthread_mutex_unlock(&f->fs->mutex);
    return code != SQLITE_OK ? code : f->below->pMethods->xSync(f->below, flags);
}
static int f_size(sqlite3_file *file, sqlite3_int64 *size) {
    sqlite3_file *b = ((fault_file *)file)->below;
    return b->pMethods->xFileSize(b, size);
}
static int f_lock(sqlite3_file *file, int level) {
    sqlite3_file *b = ((fault_file *)file)->below;
    return b->pMethods->xLock(b, level);
}
static int f_unlock(sqlite3_file *file, int level) {
    sqlite3_file *b = ((fault_file *)file)->below;
    return b->pMethods->xUnlock(b, level);
}
static int f_reserved(sqlite3_file *file, int *is_locked) {
    sqlite3_file *b = ((fault_file *)file)->below;
    return b->pMethods->xCheckReservedLock(b, is_locked);
}
static int f_control(sqlite3_file *file, int op, void *argument) {
    fault_file *f = (fault_file *)file;
    if (op == SQLITE_FCNTL_LAST_ERRNO && f->error) {
        *(int *)argument = f->error;
        return SQLITE_OK;
    }
    return f->below->pMethods->xFileControl(f->below, op, argument);
}
static int f_sector(sqlite3_file *file) {
    sqlite3_file *b = ((fault_file *)file)->below;
    return b->pMethods->xSectorSize(b);
}
static int f_characteristics(sqlite3_file *file) {
    sqlite3_file *b = ((fault_file *)file)->below;
    return b->pMethods->xDeviceCharacteristics(b);
}
static int f_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
    sqlite3_file *b = ((fault_file *)file)->below;
    return b->pMethods->xShmMap(b, page, size, extend, out);
}
static int f_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    fault_file *f = (fault_file *)file;
    if (flags & SQLITE_SHM_LOCK) {
        pthread_mutex_lock(&f->fs->mutex);
        int code = fault(f->fs, FAULT_LOCK);
        pthread_mutex_unlock(&f->fs->mutex);
        if (code != SQLITE_OK) return code;
    }
    return f->below->pMethods->xShmLock(f->below, offset, count, flags);
}
static void f_shm_barrier(sqlite3_file *file) {
    sqlite3_file *b = ((fault_file *)file)->below;
    b->pMethods->xShmBarrier(b);
}
static int f_shm_unmap(sqlite3_file *file, int is_deleted) {
    sqlite3_file *b = ((fault_file *)file)->below;
    return b->pMethods->xShmUnmap(b, is_deleted);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = f_close,
    .xRead = f_read,
    .xWrite = f_write,
    .xTruncate = f_truncate,
    .xSync = f_sync,
    .xFileSize = f_size,
    .xLock = f_lock,
    .xUnlock = f_unlock,
    .xCheckReservedLock = f_reserved,
    .xFileControl = f_control,
    .xSectorSize = f_sector,
    .xDeviceCharacteristics = f_characteristics,
    .xShmMap = f_shm_map,
    .xShmLock = f_shm_lock,
    .xShmBarrier = f_shm_barrier,
    .xShmUnmap = f_shm_unmap,
};

static int v_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
    fault_file_system *fs = (fault_file_system *)vfs;
    fault_file *f = (fault_file *)file;
    memset(f, 0, sizeof *f);
    f->fs = fs;
    f->is_journal = (flags & SQLITE_OPEN_MAIN_JOURNAL) != 0;
    f->below = (sqlite3_file *)(f + 1);
    pthread_mutex_lock(&fs->mutex);
    int failure = fault(fs, FAULT_OPEN);
    pthread_mutex_unlock(&fs->mutex);
    if (failure == SQLITE_READONLY) {
        flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
    } else if (failure != SQLITE_OK) {
        return failure;
    }
    if (f->is_journal && (flags & SQLITE_OPEN_CREATE)) {
        pthread_mutex_lock(&fs->mutex);
        fs->creations++;
        pthread_mutex_unlock(&fs->mutex);
    }
    int code = fs->below->xOpen(fs->below, path, f->below, flags, out);
    if (f->below->pMethods) f->base.pMethods = &methods;
    return code;
}
static int v_delete(sqlite3_vfs *vfs, const char *path, int sync) {
    fault_file_system *fs = (fault_file_system *)vfs;
    size_t length = strlen(path);
    int is_journal = length > 8 && strcmp(path + length - 8, "-journal") == 0;
    pthread_mutex_lock(&fs->mutex);
    int code = fault(fs, FAULT_DELETE);
    if (code == SQLITE_OK) note(fs, FAULT_DELETE, is_journal, 0, NULL, 0);
    pthread_mutex_unlock(&fs->mutex);
    return code != SQLITE_OK ? code : fs->below->xDelete(fs->below, path, sync);
}
static int v_access(sqlite3_vfs *vfs, const char *path, int flags, int *out) {
    sqlite3_vfs *b = ((fault_file_system *)vfs)->below;
    return b->xAccess(b, path, flags, out);
}
static int v_full(sqlite3_vfs *vfs, const char *path, int count, char *out) {
    sqlite3_vfs *b = ((fault_file_system *)vfs)->below;
    return b->xFullPathname(b, path, count, out);
}
static int v_random(sqlite3_vfs *vfs, int count, char *out) {
    sqlite3_vfs *b = ((fault_file_system *)vfs)->below;
    return b->xRandomness(b, count, out);
}
static int v_sleep(sqlite3_vfs *vfs, int microseconds) {
    sqlite3_vfs *b = ((fault_file_system *)vfs)->below;
    return b->xSleep(b, microseconds);
}
static int v_time(sqlite3_vfs *vfs, double *out) {
    sqlite3_vfs *b = ((fault_file_system *)vfs)->below;
    return b->xCurrentTime(b, out);
}
static int v_error(sqlite3_vfs *vfs, int count, char *out) {
    sqlite3_vfs *b = ((fault_file_system *)vfs)->below;
    return b->xGetLastError ? b->xGetLastError(b, count, out) : 0;
}

fault_file_system *fault_file_system_make(const char *name) {
    sqlite3_vfs *below = sqlite3_vfs_find(NULL);
    fault_file_system *fs = calloc(1, sizeof *fs);
    if (!below || !fs || strlen(name) >= sizeof fs->name) {
        free(fs);
        return NULL;
    }
    strcpy(fs->name, name);
    fs->below = below;
    pthread_mutex_init(&fs->mutex, NULL);
    fs->vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = (int)sizeof(fault_file) + below->szOsFile,
        .mxPathname = below->mxPathname,
        .zName = fs->name,
        .xOpen = v_open,
        .xDelete = v_delete,
        .xAccess = v_access,
        .xFullPathname = v_full,
        .xRandomness = v_random,
        .xSleep = v_sleep,
        .xCurrentTime = v_time,
        .xGetLastError = v_error,
    };
    if (sqlite3_vfs_register(&fs->vfs, 0) != SQLITE_OK) {
        free(fs);
        return NULL;
    }
    return fs;
}

void fault_file_system_fail(fault_file_system *fs, int kind, int64_t skipped, int64_t count, int code) {
    pthread_mutex_lock(&fs->mutex);
    fs->skipped[kind] = skipped;
    fs->failing[kind] = count;
    fs->codes[kind] = code;
    pthread_mutex_unlock(&fs->mutex);
}

int64_t fault_file_system_count(fault_file_system *fs, int kind) {
    pthread_mutex_lock(&fs->mutex);
    int64_t count = fs->counts[kind];
    pthread_mutex_unlock(&fs->mutex);
    return count;
}

int64_t fault_file_system_failures(fault_file_system *fs) {
    pthread_mutex_lock(&fs->mutex);
    int64_t count = fs->failures;
    pthread_mutex_unlock(&fs->mutex);
    return count;
}

int64_t fault_file_system_creations(fault_file_system *fs) {
    pthread_mutex_lock(&fs->mutex);
    int64_t count = fs->creations;
    pthread_mutex_unlock(&fs->mutex);
    return count;
}

void fault_file_system_record(fault_file_system *fs) {
    pthread_mutex_lock(&fs->mutex);
    fs->is_recording = 1;
    pthread_mutex_unlock(&fs->mutex);
}

void fault_file_system_mark(fault_file_system *fs, int64_t number) {
    pthread_mutex_lock(&fs->mutex);
    note(fs, FAULT_MARK, 0, number, NULL, 0);
    pthread_mutex_unlock(&fs->mutex);
}

int64_t fault_file_system_records(fault_file_system *fs) { return fs->count; }

fault_record fault_file_system_record_at(fault_file_system *fs, int64_t index) { return fs->records[index]; }
