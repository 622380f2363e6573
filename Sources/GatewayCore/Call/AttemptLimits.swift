/// The time limits of one attempt. `nil` keeps the transport's limit.
public struct AttemptLimits: Hashable, Sendable {
    /// The wait for a free connection. If it is exceeded, the call fails with ``NetworkError/overloaded`` and is not
    /// retried.
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

    /// Creates limits, each more than zero.
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

    /// 10 s to connect, 30 s to read and to write, 60 s in all. The wait for a free connection has the limit of
    /// connecting, and the wait for the first byte that of reading, in all presets.
    public static let standard = AttemptLimits(connect: 10, read: 30, write: 30, whole: 60)
    /// 5 s to connect, 15 s to read and to write, 30 s in all: for interactive use.
    public static let fast = AttemptLimits(connect: 5, read: 15, write: 15, whole: 30)
    /// 30 s to connect, 120 s to read, 60 s to write, 180 s in all: for slow networks and large transfers.
    public static let slow = AttemptLimits(connect: 30, read: 120, write: 60, whole: 180)
    /// 3 s to connect, 15 s to read and to write, 30 s in all: between services.
    public static let server = AttemptLimits(connect: 3, read: 15, write: 15, whole: 30)

    private init(connect: Int, read: Int, write: Int, whole: Int) {
        self.init(
            queue: .seconds(connect), connect: .seconds(connect), firstByte: .seconds(read),
            read: .seconds(read), write: .seconds(write), whole: .seconds(whole))
    }

    /// Validates the limits: each must be greater than zero.
    ///
    /// - Throws: ``NetworkError`` with the code ``NetworkError/misconfigured``, naming the property.
    public func validate() throws(NetworkError) {
        try Self.check(queue, "queue")
        try Self.check(connect, "connect")
        try Self.check(firstByte, "firstByte")
        try Self.check(read, "read")
        try Self.check(write, "write")
        try Self.check(whole, "whole")
    }

    private static func check(_ limit: Duration?, _ property: String) throws(NetworkError) {
        guard let limit else { return }
        try NetworkError.require(limit > .zero, property, "must be more than zero")
    }

    /// These limits, with missing ones taken from `defaults`.
    public func over(_ defaults: AttemptLimits) -> AttemptLimits {
        AttemptLimits(
            queue: queue ?? defaults.queue, connect: connect ?? defaults.connect,
            firstByte: firstByte ?? defaults.firstByte, read: read ?? defaults.read,
            write: write ?? defaults.write, whole: whole ?? defaults.whole)
    }
}
