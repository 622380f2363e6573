#pragma once

#ifndef __linux__
#error "GatewayClient supports Linux only: it uses epoll, netlink and the libraries of the distribution."
#elif !__has_include(<sys/epoll.h>)
#error "A header of the C library is missing: install the package libc6-dev."
#else
// What the Glibc module of Swift leaves out.
#include <sys/epoll.h>
#include <sys/signalfd.h>
#endif
