#if !os(Linux)
    #error(
        "GatewayClient supports Linux only: it uses epoll, netlink and the libraries of the distribution.")
#endif
