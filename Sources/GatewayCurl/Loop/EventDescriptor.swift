import CLibcurl
private import GatewayLibC
import Synchronization

/// An `eventfd`: wakes a thread that waits for it, alone or among sockets.
final class EventDescriptor: Sendable {
    private let number = Atomic<Int32>(-1)

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    /// Readable once it was signalled; -1 if it is not open.
    var descriptor: Int32 { number.load(ordering: .relaxed) }

    /// Opens it if it is not open; `false` if that fails, with the reason in `errno`. Must not be called concurrently.
    func open() -> Bool {
        if descriptor < 0 {
            number.store(eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)), ordering: .relaxed)
        }
        return descriptor >= 0
    }

    /// Wakes the waiting thread.
    func signal() {
        var one: UInt64 = 1
        _ = unsafe write(descriptor, &one, 8)
    }

    /// Makes it unreadable again.
    func acknowledge() {
        var count: UInt64 = 0
        _ = unsafe read(descriptor, &count, 8)
    }

    /// Waits for a signal, and acknowledges it. A negative timeout means no limit.
    func wait(milliseconds: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if unsafe poll(&entry, 1, milliseconds) > 0 { acknowledge() }
    }
}
