#pragma once

#ifndef __linux__
#error "GatewayClient supports Linux only: it uses epoll, netlink and the libraries of the distribution."
#elif !__has_include(<zlib.h>)
#error "zlib is missing: install the package zlib1g-dev."
#else
#include <zlib.h>

// `inflateInit2` is a macro, which Swift cannot call.
static inline int gateway_inflate_init(z_stream *stream, int window_bits) { return inflateInit2(stream, window_bits); }

// `deflateInit2` is a macro, too.
static inline int gateway_deflate_init(z_stream *stream, int window_bits) {
  return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}
#endif
