extension CurlConfiguration {
    /// How TCP asks whether the other side of a connection is still there.
    public struct TCPKeepAlive: Hashable, Sendable {
        /// How long nothing must have come before it asks; whole seconds, 1 or more. 30 s: less than routers on the way
        /// remember a connection at rest.
        public var idle: Duration
        /// The time between two questions; whole seconds, 1 or more.
        public var interval: Duration

        /// Makes one.
        public init(idle: Duration = .seconds(30), interval: Duration = .seconds(15)) {
            self.idle = idle
            self.interval = interval
        }
    }
}
