import CLibcurl

#if canImport(Glibc)
    private import Glibc
#else
    private import Musl
#endif

/// An `eventfd`: wakes a thread that waits for it, alone or among sockets.
final class EventDescriptor: Sendable {
    /// Readable once it was signalled; -1 where the system gave none.
    let descriptor: Int32

    init() { descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) }

    deinit { if isOpen { _ = close(descriptor) } }

    /// Whether the system gave one.
    var isOpen: Bool { descriptor >= 0 }

    /// Wakes who waits.
    func signal() {
        var one: UInt64 = 1
        _ = unsafe write(descriptor, &one, 8)
    }

    /// Makes it unreadable again.
    func acknowledge() {
        var count: UInt64 = 0
        _ = unsafe read(descriptor, &count, 8)
    }

    /// Waits for a signal, and acknowledges it. A negative timeout waits for as long as it takes.
    func wait(milliseconds: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if unsafe poll(&entry, 1, milliseconds) > 0 { acknowledge() }
    }
}
