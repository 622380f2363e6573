#pragma once

/// Whether allocations can be counted in this build: with glibc and without a sanitizer, which brings a malloc of
/// its own.
int allocation_counter_works(void);

/// Counts from zero from now on, on all threads: each malloc, calloc and realloc, whoever calls it.
void allocation_counter_start(void);

/// Counts no more, and gives the count.
long allocation_counter_stop(void);

/// How many bytes are allocated at the moment, in all arenas; 0 where the C library does not tell.
unsigned long allocation_bytes_in_use(void);
