import CLibcurl  // Its headers may be what declares the constants of sockets.
import Testing

@testable import GatewayCurl

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

@Suite struct EpollSetTests {
    /// The kernel reports events of a closed descriptor as long as a child process has a copy of it, which each child has
    /// between fork and exec. A copy in this process has the same effect.
    @Test func aClosedSocketHasNoEvents() throws {
        let sockets = try #require(EpollSet())
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        let copy = dup(ends[0])
        defer { for descriptor in [copy, ends[1]] { close(descriptor) } }
        sockets.didOpen(ends[0])
        sockets.want(ends[0], of: 0, readable: true, writable: false)
        try #require(send(ends[1], "x", 1, Int32(MSG_NOSIGNAL)) == 1)
        #expect(sockets.wait(nanoseconds: 0) == 1)
        sockets.unwant(ends[0])
        sockets.willClose(ends[0])
        close(ends[0])
        #expect(sockets.wait(nanoseconds: 0) == 0)
    }

    /// What libcurl opens for itself is not marked, and a child process would get it.
    @Test func aSocketOfLibcurlIsClosedInChildren() throws {
        let sockets = try #require(EpollSet())
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for descriptor in ends { close(descriptor) } }
        #expect(fcntl(ends[0], F_GETFD) & FD_CLOEXEC == 0)
        sockets.want(ends[0], of: 0, readable: true, writable: false)
        #expect(fcntl(ends[0], F_GETFD) & FD_CLOEXEC != 0)
        sockets.unwant(ends[0])
    }
}
