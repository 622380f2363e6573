#ifndef FAULT_FILE_SYSTEM_H
#define FAULT_FILE_SYSTEM_H

#include <stdint.h>

// A VFS of SQLite for tests: it passes everything to the default one, lets chosen operations fail, and notes what was done.

enum {
    FAULT_WRITE = 0,
    FAULT_SYNC = 1,
    FAULT_TRUNCATE = 2,
    FAULT_DELETE = 3,
    FAULT_OPEN = 4,
    // Locking the index of a write-ahead log.
    FAULT_LOCK = 5,
    FAULT_READ = 6,
    // The number of kinds that can fail.
    FAULT_KINDS = 7,
    FAULT_FAILED_SYNC = 8,
    FAULT_MARK = 9
};

typedef struct fault_file_system fault_file_system;

typedef struct {
    int kind;
    // Whether it is of the journal, and not of the database.
    int is_journal;
    // The offset of a write, the new size of a truncation, or the number of a mark.
    int64_t offset;
    int64_t length;
    const uint8_t *_Nullable bytes;
} fault_record;

// Registers a VFS, for the rest of the process. NULL if that is not possible.
fault_file_system *_Nullable fault_file_system_make(const char *_Nonnull name);

// Lets operations of a kind (write, sync, truncation, deletion, opening, lock, reading) fail with a result code of SQLite: those after
// `skipped` more, `count` of them. An opening with SQLITE_READONLY succeeds, for reading only, as where the system refuses the other.
void fault_file_system_fail(fault_file_system *_Nonnull fs, int kind, int64_t skipped, int64_t count, int code);

// The number of operations of a kind, and of failures.
int64_t fault_file_system_count(fault_file_system *_Nonnull fs, int kind);
int64_t fault_file_system_failures(fault_file_system *_Nonnull fs);

// How often a journal was opened with SQLITE_OPEN_CREATE.
int64_t fault_file_system_creations(fault_file_system *_Nonnull fs);

// Notes all operations from now on.
void fault_file_system_record(fault_file_system *_Nonnull fs);
void fault_file_system_mark(fault_file_system *_Nonnull fs, int64_t number);
int64_t fault_file_system_records(fault_file_system *_Nonnull fs);
fault_record fault_file_system_record_at(fault_file_system *_Nonnull fs, int64_t index);

#endif
