// The C library of the platform under one name, so that no other file has to know which one it is.
#if !os(Linux)
    #error(
        "GatewayClient supports Linux only: it uses epoll, netlink and the libraries of the distribution.")
#elseif canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#endif
