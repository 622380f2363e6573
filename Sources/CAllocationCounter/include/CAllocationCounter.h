#pragma once

/// Whether allocations can be counted in this build: with glibc, and without a sanitizer, which has its own malloc.
int allocation_counter_works(void);

/// Starts counting at zero: allocations on all threads, by any code.
void allocation_counter_start(void);

/// Stops counting and returns the number of allocations.
long allocation_counter_stop(void);

/// Bytes allocated less bytes freed since counting started, block headers included. Negative if older blocks were freed.
long allocation_live_bytes(void);

/// The maximum of `allocation_live_bytes` since counting started.
long allocation_peak_bytes(void);

/// The bytes that are allocated, in all arenas; 0 if the C library does not count them.
unsigned long allocation_bytes_in_use(void);

/// Returns the pages of freed blocks to the system, of all arenas, if the C library can.
void allocation_release_unused(void);
