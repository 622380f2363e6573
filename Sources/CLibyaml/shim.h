#ifndef __linux__
#error "GatewayClient supports Linux only: it uses epoll, netlink and the libraries of the distribution."
#elif !__has_include(<yaml.h>)
#error "libyaml is missing: install the package libyaml-dev."
#else
#include <yaml.h>
#endif
