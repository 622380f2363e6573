/// The time limits of one attempt. `nil` leaves the transport's limit as it is.
public struct AttemptLimits: Hashable, Sendable {
    /// The wait for a connection that is free.
    public var queue: Duration?
    /// Resolving the name, connecting and the TLS handshake.
    public var connect: Duration?
    /// From the end of the request to the first byte of the response.
    public var firstByte: Duration?
    /// Between two pieces of the response.
    public var read: Duration?
    /// Between two pieces of the request.
    public var write: Duration?
    /// The whole attempt.
    public var whole: Duration?

    /// Makes limits. Negative durations count as zero: the attempt fails at once.
    public init(
        queue: Duration? = nil, connect: Duration? = nil, firstByte: Duration? = nil, read: Duration? = nil,
        write: Duration? = nil, whole: Duration? = nil
    ) {
        self.queue = queue
        self.connect = connect
        self.firstByte = firstByte
        self.read = read
        self.write = write
        self.whole = whole
    }

    /// These limits, with those that they leave open taken from others.
    public func over(_ defaults: AttemptLimits) -> AttemptLimits {
        AttemptLimits(
            queue: queue ?? defaults.queue, connect: connect ?? defaults.connect,
            firstByte: firstByte ?? defaults.firstByte, read: read ?? defaults.read,
            write: write ?? defaults.write, whole: whole ?? defaults.whole)
    }
}
