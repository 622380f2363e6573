extension CurlConfiguration {
    /// The settings of TCP keep-alive.
    public struct TCPKeepAlive: Hashable, Sendable {
        /// The idle time before the first probe, in whole seconds, at least 1. Default: 30 s, less than the time after
        /// which routers drop an idle connection.
        public var idle: Duration
        /// The time between two probes, in whole seconds, at least 1. Default: 15 s.
        public var interval: Duration

        /// Creates the settings.
        public init(idle: Duration = .seconds(30), interval: Duration = .seconds(15)) {
            self.idle = idle
            self.interval = interval
        }
    }
}
