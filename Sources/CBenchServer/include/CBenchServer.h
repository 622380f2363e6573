#pragma once

#include <stddef.h>

/// Starts a small HTTP/1.1 server on a free port of 127.0.0.1, with one thread and one epoll: it costs as little
/// as a server can, holds thousands of requests, and its memory grows with its connections alone.
///
///   /small    `content`, whatever the method; a request's own content is read to its end first
///   /1m       1 MiB
///   /hold     no answer, ever
///   /held     how many requests of /hold wait, in decimal digits
///
/// It runs until the process ends. Gives the port, or -1. To be called once.
int bench_server_start(const char *content, size_t bytes);

/// The processors that a process may use, a bit for each; 0 for this thread. -1 where the system does not say.
int bench_processors_get(int process, unsigned long *mask, unsigned long bytes);

/// Lets a process use certain processors; -1 where the system refuses.
int bench_processors_set(int process, const unsigned long *mask, unsigned long bytes);
