#include "CAllocationCounter.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

#if defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS 1
#else
#define COUNTS 0
#endif

// While nothing is counted, an allocation costs one load more than before; measured runs are not disturbed.
static atomic_int counting;
static atomic_long count;
// Bytes allocated less bytes freed since the start, and their maximum.
static atomic_long live;
static atomic_long peak;

int allocation_counter_works(void) { return COUNTS; }

void allocation_counter_start(void) {
    atomic_store(&count, 0);
    atomic_store(&live, 0);
    atomic_store(&peak, 0);
    atomic_store(&counting, 1);
}

long allocation_counter_stop(void) {
    atomic_store(&counting, 0);
    return atomic_load(&count);
}

long allocation_live_bytes(void) { return atomic_load(&live); }

long allocation_peak_bytes(void) { return atomic_load(&peak); }

unsigned long allocation_bytes_in_use(void) {
#if defined(__GLIBC__)
    struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
#else
    return 0;
#endif
}

void allocation_release_unused(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

#if COUNTS
// The program's definitions come before the C library's for every shared library, too.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t members, size_t size);
void *__libc_realloc(void *known, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *known);

static inline int counts(void) { return atomic_load_explicit(&counting, memory_order_relaxed); }

// The size of a block with its header.
static long size_of(void *block) { return block ? (long)(malloc_usable_size(block) + sizeof(size_t)) : 0; }

static void add(long bytes) {
    long now = atomic_fetch_add_explicit(&live, bytes, memory_order_relaxed) + bytes;
    long known = atomic_load_explicit(&peak, memory_order_relaxed);
    while (now > known && !atomic_compare_exchange_weak_explicit(&peak, &known, now, memory_order_relaxed, memory_order_relaxed)) {}
}

static void *noted(void *block) {
    if (counts()) {
        atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
        add(size_of(block));
    }
    return block;
}

void *malloc(size_t size) { return noted(__libc_malloc(size)); }

void *calloc(size_t members, size_t size) { return noted(__libc_calloc(members, size)); }

void *realloc(void *known, size_t size) {
    if (counts()) add(-size_of(known));
    return noted(__libc_realloc(known, size));
}

void *memalign(size_t alignment, size_t size) { return noted(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
    void *block = memalign(alignment, size);
    if (!block) return ENOMEM;
    *result = block;
    return 0;
}

void free(void *known) {
    if (counts()) add(-size_of(known));
    __libc_free(known);
}
#endif
