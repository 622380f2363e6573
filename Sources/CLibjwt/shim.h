#ifndef __linux__
#error "GatewayClient supports Linux only: it uses epoll, netlink and the libraries of the distribution."
#elif !__has_include(<jwt.h>)
#error "libjwt is missing: install the package libjwt-dev."
#elif __has_include(<jwt_export.h>)
/* libjwt 3 has another API and brings jwt_export.h, which versions 1 and 2 do not have. */
#error "GatewayClient needs libjwt 1 or 2 (libjwt-dev of Debian 12 and Ubuntu 24.04): libjwt 3 has another API."
#else
#include <jwt.h>
#endif
