import GatewayCore

/// The timeouts of a transfer, in nanoseconds. Each transfer has its own copy. Why: with a shared object,
/// all threads would update its reference count concurrently.
struct TransferLimits: Sendable {
    let queue: Int64
    let connect: Int64
    let firstByte: Int64
    let read: Int64
    let write: Int64
    let whole: Int64

    /// These limits, overridden by those of a call.
    func under(_ call: AttemptLimits) -> TransferLimits {
        func nanoseconds(_ own: Duration?, _ other: Int64) -> Int64 {
            own.map { LoopClock.nanoseconds(max($0, .zero)) } ?? other
        }
        return TransferLimits(
            queue: nanoseconds(call.queue, queue), connect: nanoseconds(call.connect, connect),
            firstByte: nanoseconds(call.firstByte, firstByte), read: nanoseconds(call.read, read),
            write: nanoseconds(call.write, write), whole: nanoseconds(call.whole, whole))
    }
}
