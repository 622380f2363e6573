import CLibcurl
import GatewayCore
private import GatewayLibC
import Synchronization

/// Shuts down a connection that keeps a loop permanently busy.
///
/// libcurl reads an HTTP/2 connection until no data is available or content has arrived. A server that sends
/// frames without content, such as PRIORITY or empty DATA, faster than they are read keeps the loop's thread
/// in one call: no deadline is checked, and no other connection is served. Therefore a separate thread
/// watches: if a call does not return, delivers no part of a response, and reads more than a socket buffer
/// can hold, the thread shuts down that socket, and libcurl returns.
final class LoopWatchdog: Sendable {
    /// The interval of checks, in milliseconds, and the number of consecutive checks without progress.
    private static let interval: Int32 = 100
    private static let patience = 3
    /// In bytes: more than the kernel's receive buffer of a socket (6 MB by default), so that a thread that is not
    /// scheduled is not considered busy.
    private static let smallestFlood: UInt64 = 16 << 20

    /// Odd while libcurl is called; grows with each call and with each piece of a response.
    private let progress = Atomic<UInt64>(0)
    private let isResting = Atomic<Bool>(false)
    private let isStopped = Atomic<Bool>(false)
    private let wakeup = EventDescriptor()
    /// The sockets of the loop that are open. A socket is closed under this lock, so that its descriptor is not reused
    /// before it is shut down.
    private let sockets = Locked<Set<Int32>>([])

    /// `nil` if no descriptor or thread is available.
    init?() {
        guard wakeup.open(), LoopThread.start({ [self] in watch() }) else { return nil }
    }

    // MARK: For the loop

    /// Calls libcurl.
    @inline(__always)
    func watching(_ call: () -> Void) {
        progress.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if isResting.load(ordering: .sequentiallyConsistent) { wakeup.signal() }
        call()
        progress.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    /// Called when a part of a response has arrived.
    func noteProgress() { progress.wrappingAdd(2, ordering: .relaxed) }

    func didOpen(_ descriptor: Int32) { sockets.withLock { _ = $0.insert(descriptor) } }

    func willClose(_ descriptor: Int32) { sockets.withLock { _ = $0.remove(descriptor) } }

    /// Ends the watching thread. libcurl must not be called afterwards.
    func stop() {
        isStopped.store(true, ordering: .sequentiallyConsistent)
        wakeup.signal()
    }

    // MARK: The watching thread

    private func watch() {
        var seen = progress.load(ordering: .sequentiallyConsistent)
        var sightings = 0
        var received: [Int32: UInt64] = [:]
        while !isStopped.load(ordering: .sequentiallyConsistent) {
            wakeup.wait(milliseconds: Self.interval)
            let current = progress.load(ordering: .sequentiallyConsistent)
            guard current == seen else {
                (seen, sightings) = (current, 0)
                continue
            }
            guard current % 2 == 1 else {
                rest(while: current)
                continue
            }
            if sightings == 0 { received = receivedBytes() }
            sightings += 1
            if sightings >= Self.patience { endFlood(since: received) }
        }
    }

    /// Sleeps until libcurl is called again.
    private func rest(while current: UInt64) {
        isResting.store(true, ordering: .sequentiallyConsistent)
        if progress.load(ordering: .sequentiallyConsistent) == current,
            !isStopped.load(ordering: .sequentiallyConsistent)
        {
            wakeup.wait(milliseconds: -1)
        }
        isResting.store(false, ordering: .sequentiallyConsistent)
    }

    private func receivedBytes() -> [Int32: UInt64] {
        sockets.withLock { sockets in
            var received: [Int32: UInt64] = [:]
            for descriptor in sockets { received[descriptor] = gateway_tcp_received(descriptor) }
            return received
        }
    }

    /// Shuts down the socket that received the most bytes, if they exceed the limit.
    private func endFlood(since before: [Int32: UInt64]) {
        sockets.withLock { sockets in
            var flooded: (descriptor: Int32, count: UInt64)?
            for descriptor in sockets {
                let now = gateway_tcp_received(descriptor)
                guard let count = before[descriptor], now >= count else { continue }
                if now - count >= max(Self.smallestFlood, flooded?.count ?? 0) {
                    flooded = (descriptor, now - count)
                }
            }
            if let flooded { _ = shutdown(flooded.descriptor, Int32(SHUT_RDWR)) }
        }
    }
}
