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
