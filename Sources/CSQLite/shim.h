#ifndef __linux__
#error "GatewayClient supports Linux only: it uses epoll, netlink and the libraries of the distribution."
#elif !__has_include(<sqlite3.h>)
#error "SQLite is missing: install the package libsqlite3-dev."
#else
#include <sqlite3.h>
#if SQLITE_VERSION_NUMBER < 3037000
#error "SQLite 3.37 or later is required (libsqlite3-dev)."
#endif

// SQLITE_TRANSIENT is a cast that Swift does not import. An empty blob is one, not NULL.
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

#include <stdint.h>
#include <sys/vfs.h>

// The type of the file system of a path; 0 if it cannot be asked for. Swift does not import statfs.
static inline uint32_t csqlite_file_system_type(const char *path) {
    struct statfs info;
    return statfs(path, &info) == 0 ? (uint32_t)info.f_type : 0;
}

// The file of a connection, without the tables in it: for files that SQLite cannot read any more.
static inline sqlite3_file *csqlite_file(sqlite3 *database) {
    sqlite3_file *file = 0;
    sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return file && file->pMethods ? file : 0;
}

// Locks the file against every other connection, until it is closed.
static inline int csqlite_lock(sqlite3 *database) {
    sqlite3_file *file = csqlite_file(database);
    if (!file) return SQLITE_CANTOPEN;
    int code = file->pMethods->xLock(file, SQLITE_LOCK_SHARED);
    if (code == SQLITE_OK) code = file->pMethods->xLock(file, SQLITE_LOCK_RESERVED);
    if (code == SQLITE_OK) code = file->pMethods->xLock(file, SQLITE_LOCK_EXCLUSIVE);
    if (code != SQLITE_OK) file->pMethods->xUnlock(file, SQLITE_LOCK_NONE);
    return code;
}

static inline int csqlite_size(sqlite3 *database, sqlite3_int64 *size) {
    sqlite3_file *file = csqlite_file(database);
    return file ? file->pMethods->xFileSize(file, size) : SQLITE_CANTOPEN;
}

// The result code of a call. A statement whose read fails with EIO says that the file is damaged: SQLite makes SQLITE_CORRUPT of
// SQLITE_IOERR_CORRUPTFS, and a check of the whole file goes on without the page. The file knows the last error of the system.
static inline int csqlite_code(sqlite3 *database, int code) {
    if ((code & 0xff) != SQLITE_CORRUPT && (code & 0xff) != SQLITE_NOTADB) return code;
    int number = 0;
    sqlite3_file_control(database, "main", SQLITE_FCNTL_LAST_ERRNO, &number);
    return number != 0 ? SQLITE_IOERR_CORRUPTFS : code;
}

// What is not there is zeros.
static inline int csqlite_read(sqlite3 *database, void *to, int count, sqlite3_int64 offset) {
    sqlite3_file *file = csqlite_file(database);
    if (!file) return SQLITE_CANTOPEN;
    int code = file->pMethods->xRead(file, to, count, offset);
    return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
}
#endif
