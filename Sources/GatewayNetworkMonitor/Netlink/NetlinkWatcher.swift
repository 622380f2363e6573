import CNetlink
internal import GatewayCore
private import GatewayLibC

/// Reads the tables of the kernel when it says that they have changed, on a thread of its own.
///
/// What a notification says is not used: it only wakes the thread, which then reads everything. So nothing depends on its
/// order, and one that was lost (`ENOBUFS`) is a reason to read like any other.
final class NetlinkWatcher: NetworkTableSource {
    /// How the thread works.
    struct Settings: Sendable {
        /// The tables are read at least this often.
        var pollInterval: Duration = .seconds(30)
        /// Between two readings this time passes at least.
        var shortestPause: Duration = .milliseconds(2)
        /// The size of the receive buffer of notifications; `nil` for the system's.
        var bufferBytes: Int32?
        /// Whether notifications are received.
        var isNotified = true
        /// Called on the thread before it opens a socket; `false` if it cannot watch. Tests enter a namespace by it.
        var prepareThread: (@Sendable () -> Bool)?
    }

    private let settings: Settings
    /// The end of a pair of sockets; the thread ends when it is closed. -1 if there is no thread.
    private let stopEnd = Locked<Int32>(-1)
    private let losses = Locked(0)

    init(_ settings: Settings) { self.settings = settings }

    /// How often the kernel has dropped notifications.
    var lossCount: Int { losses.withLock { $0 } }

    /// Dumps are read from sockets that do not block. Not for a thread that watches another namespace.
    func readNow() -> NetworkTable? {
        guard settings.prepareThread == nil else { return nil }
        var dump = NetlinkDump()
        return try? dump.read()
    }

    func start(_ receive: @escaping @Sendable (NetworkTableReport) -> Void) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            return receive(.unavailable("socketpair: error \(errno)"))
        }
        let (readEnd, writeEnd) = (ends[0], ends[1])
        let isFirst = stopEnd.withLock { end in
            guard end < 0 else { return false }
            end = writeEnd
            return true
        }
        guard isFirst else {
            close(readEnd)
            close(writeEnd)
            return
        }
        let isStarted = BlockingThread.start { [settings, weak self] in
            Self.run(settings, stop: readEnd, receive) { self?.losses.withLock { $0 += 1 } }
            close(readEnd)
        }
        if !isStarted {
            close(readEnd)
            receive(.unavailable("no thread can be created"))
        }
    }

    func stop() {
        let end = stopEnd.withLock { end in
            defer { end = -1 }
            return end
        }
        if end >= 0 { close(end) }
    }

    deinit { stop() }

    /// The body of the thread.
    private static func run(
        _ settings: Settings, stop: Int32, _ receive: (NetworkTableReport) -> Void, onLoss: () -> Void
    ) {
        guard settings.prepareThread?() ?? true else {
            return receive(.unavailable("the thread cannot watch"))
        }
        var dump = NetlinkDump()
        while true {
            do {
                let groups = UInt32(
                    RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR
                        | RTMGRP_IPV6_ROUTE)
                // Open before the first dump, so that no change is missed between the two.
                let socket = try NetlinkSocket(
                    groups: settings.isNotified ? groups : 0, bufferBytes: settings.bufferBytes)
                try follow(socket, settings, stop: stop, &dump, receive, onLoss: onLoss)
                return
            } catch let failure as NetlinkSocket.Failure {
                receive(.unavailable("\(failure.call): error \(failure.number)"))
            } catch NetlinkDump.Failure.refused(let number) {
                receive(.unavailable("the kernel refused: error \(number)"))
            } catch NetlinkDump.Failure.system(let failure) {
                receive(.unavailable("\(failure.call): error \(failure.number)"))
            } catch {
                receive(.unavailable("the tables are not consistent"))
            }
            if isStopped(within: settings.pollInterval, stop) { return }
        }
    }

    /// Reads now and after each notification. Returns when the watcher is stopped.
    private static func follow(
        _ socket: borrowing NetlinkSocket, _ settings: Settings, stop: Int32, _ dump: inout NetlinkDump,
        _ receive: (NetworkTableReport) -> Void, onLoss: () -> Void
    ) throws {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let begin = ContinuousClock.now
            receive(.table(try dump.read()))
            // Machines with a million routes: at most a tenth of one processor.
            let pause = max(settings.shortestPause, (ContinuousClock.now - begin) * 9)
            if isStopped(within: pause, stop) { return }
            var entries = [
                pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
                pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&entries, 2, settings.pollInterval.pollMilliseconds)
            if count < 0, errno != EINTR { throw NetlinkSocket.Failure(call: "poll", number: errno) }
            if entries[0].revents != 0 { return }
            try drain(socket, &buffer, onLoss: onLoss)
        }
    }

    /// Reads all notifications that are there.
    private static func drain(
        _ socket: borrowing NetlinkSocket, _ buffer: inout [UInt8], onLoss: () -> Void
    ) throws(NetlinkSocket.Failure) {
        // A machine whose tables change without end is read in between.
        for _ in 0..<1_000 {
            switch try socket.receive(into: &buffer) {
            case .none: return
            case .lost: onLoss()
            case .bytes, .truncated: break
            }
        }
    }

    private static func isStopped(within pause: Duration, _ stop: Int32) -> Bool {
        var entry = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, pause.pollMilliseconds) > 0
    }
}

extension Duration {
    /// The time as `poll` takes it, at least 1 ms and at most a day.
    var pollMilliseconds: Int32 {
        Int32(min(max(self, .milliseconds(1)), .seconds(86_400)).wholeMilliseconds)
    }
}
