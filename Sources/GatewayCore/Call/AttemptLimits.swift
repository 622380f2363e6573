/// The time limits of one attempt. `nil` leaves the transport's limit as it is.
///
/// The value is one pointer wide: most calls have none, and every call's options and context have room for it.
public struct AttemptLimits: Sendable {
    private struct Values: Hashable, Sendable {
        var queue: Duration?
        var connect: Duration?
        var firstByte: Duration?
        var read: Duration?
        var write: Duration?
        var whole: Duration?
    }

    private var values: CopyOnWrite<Values>

    /// The wait for a connection that is free.
    public var queue: Duration? {
        get { values.value.queue }
        set { values.value.queue = newValue }
    }
    /// Resolving the name, connecting and the TLS handshake.
    public var connect: Duration? {
        get { values.value.connect }
        set { values.value.connect = newValue }
    }
    /// From the end of the request to the first byte of the response.
    public var firstByte: Duration? {
        get { values.value.firstByte }
        set { values.value.firstByte = newValue }
    }
    /// Between two pieces of the response.
    public var read: Duration? {
        get { values.value.read }
        set { values.value.read = newValue }
    }
    /// Between two pieces of the request.
    public var write: Duration? {
        get { values.value.write }
        set { values.value.write = newValue }
    }
    /// The whole attempt.
    public var whole: Duration? {
        get { values.value.whole }
        set { values.value.whole = newValue }
    }

    /// Makes limits. Negative durations count as zero: the attempt fails at once.
    public init(
        queue: Duration? = nil, connect: Duration? = nil, firstByte: Duration? = nil, read: Duration? = nil,
        write: Duration? = nil, whole: Duration? = nil
    ) {
        values = CopyOnWrite(
            Values(
                queue: queue, connect: connect, firstByte: firstByte, read: read, write: write, whole: whole))
    }

    /// These limits, with those that they leave open taken from others.
    public func over(_ defaults: AttemptLimits) -> AttemptLimits {
        AttemptLimits(
            queue: queue ?? defaults.queue, connect: connect ?? defaults.connect,
            firstByte: firstByte ?? defaults.firstByte, read: read ?? defaults.read,
            write: write ?? defaults.write, whole: whole ?? defaults.whole)
    }
}

extension AttemptLimits: Hashable {
    /// Whether all limits are equal.
    public static func == (a: Self, b: Self) -> Bool { a.values.value == b.values.value }

    /// Hashes all limits.
    public func hash(into hasher: inout Hasher) { hasher.combine(values.value) }
}
