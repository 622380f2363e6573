internal import GatewayCore

extension ReachabilityMonitor {
    /// Connects to the origins of the configuration now and then, over TCP and without sending anything.
    ///
    /// The first connection that is accepted is enough. If no origin accepts one, the condition has the obstacle
    /// `originsUnreachable` until one does, or until a call gets a response from one. No other host is ever connected to.
    public struct Heartbeat: Hashable, Sendable {
        /// How long resolving the name of an origin and connecting to it may take. 5 s.
        public var timeout: Duration = .seconds(5)

        /// The defaults.
        public init() {}

        func validate() throws(NetworkError) {
            try NetworkError.require(timeout > .zero, "timeout", "must be more than 0")
        }
    }
}
