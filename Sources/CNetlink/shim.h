#pragma once

#ifndef __linux__
#error "GatewayClient supports Linux only: it uses epoll, netlink and the libraries of the distribution."
#elif !__has_include(<linux/rtnetlink.h>)
#error "A header of the kernel is missing: install the package linux-libc-dev."
#else
// Headers of the kernel, which the Glibc module of Swift leaves out.
#include <sys/socket.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/if_link.h>
#include <linux/if_addr.h>
#endif
