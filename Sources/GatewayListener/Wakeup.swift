private import GatewayLibC

/// Wakes a thread that polls descriptors.
final class Wakeup: Sendable {
    /// Readable after ``wake()`` until the next ``drain()``.
    let descriptor: Int32
    private let writeEnd: Int32

    init() throws(HTTPListener.StartError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw HTTPListener.StartError("No pipe could be made", code: errno)
        }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        (descriptor, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        _ = close(descriptor)
        _ = close(writeEnd)
    }

    /// Ends the current or the next poll.
    func wake() {
        var byte: UInt8 = 1
        _ = unsafe write(writeEnd, &byte, 1)
    }

    /// Clears all previous wakes.
    func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(descriptor, &bytes, bytes.count) > 0 {}
    }
}
