extension CurlConfiguration {
    /// The settings of TCP keep-alive.
    public struct TCPKeepAlive: Hashable, Sendable {
        /// The idle time before the first probe; whole seconds, 1 or more. Defaults to 30 s, less than the time after
        /// which routers forget an idle connection.
        public var idle: Duration
        /// The time between two probes; whole seconds, 1 or more. Defaults to 15 s.
        public var interval: Duration

        /// Makes the settings.
        public init(idle: Duration = .seconds(30), interval: Duration = .seconds(15)) {
            self.idle = idle
            self.interval = interval
        }
    }
}
