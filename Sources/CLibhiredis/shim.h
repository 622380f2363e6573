#ifndef __linux__
#error "GatewayClient supports Linux only: it uses epoll, netlink and the libraries of the distribution."
#elif !__has_include(<hiredis/hiredis.h>)
#error "hiredis is missing: install the package libhiredis-dev."
#else
#include <hiredis/hiredis.h>
#if HIREDIS_MAJOR == 0 && HIREDIS_MINOR < 13
#error "GatewayRedis needs hiredis 0.13 or later (libhiredis-dev)."
#endif
#endif
