import GatewayCore

/// The number and size of entries compared with the limits.
struct QueueRoom {
    private let limits: QueueLimits
    private var count: Int
    private var bytes: Int

    init(_ limits: QueueLimits, count: Int, bytes: Int) {
        self.limits = limits
        self.count = count
        self.bytes = bytes
    }

    /// Whether one more entry of a size fits.
    func fits(_ size: Int) -> Bool { count < limits.count && bytes.addingClamped(size) <= limits.bytes }

    /// Subtracts an entry of this size, in bytes.
    mutating func remove(_ size: Int) {
        count -= 1
        bytes = bytes.subtractingClamped(size)
    }
}
