#define _GNU_SOURCE
#include "CBenchServer.h"

#include <sched.h>

int bench_processors_get(int process, unsigned long *mask, unsigned long bytes) {
    return sched_getaffinity(process, bytes, (cpu_set_t *)mask);
}

int bench_processors_set(int process, const unsigned long *mask, unsigned long bytes) {
    return sched_setaffinity(process, bytes, (const cpu_set_t *)mask);
}
