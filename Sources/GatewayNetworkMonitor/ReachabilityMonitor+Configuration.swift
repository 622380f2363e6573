public import GatewayCore

extension ReachabilityMonitor {
    /// What is watched, and for how long a change must last.
    public struct Configuration: Sendable {
        /// The origins that the program calls. If all of them are on this machine, the monitor is always online. Checks go to
        /// no other host.
        public var origins: [Origin] = []
        /// Whether calls leave through a proxy or a Unix domain socket. The links then say nothing, and the monitor is always
        /// online. Off by default.
        public var isProxied = false
        /// How often the links are read, even if the kernel reports no change, and the origins are checked, if they are. 30 s.
        public var networkRecheckInterval: Duration = .seconds(30)
        /// Whether it is checked that the origins accept connections. `nil`, the default: it is not. It has no effect for
        /// origins on this machine, and if calls leave through a proxy.
        public var heartbeat: Heartbeat?
        /// Whether it is checked that the origins answer themselves, and no captive portal does. `nil`, the default: it is not.
        /// It has no effect for origins on this machine, and if calls leave through a proxy.
        public var portalCheck: PortalCheck?
        /// Whether the condition has the obstacle `interceptedTLS` when TLS towards an origin fails twice in a row after a
        /// certificate of it was accepted, until one is accepted again. Off by default. Engines whose configuration names the
        /// monitor then report their attempts to it.
        public var reportsInterceptedTLS = false
        /// How long there must be a network to be online, or another one to have moved. 500 ms.
        public var onlineDelay: Duration = .milliseconds(500)
        /// How long there must be no network to be offline: most interruptions are shorter. 1.5 s.
        public var offlineDelay: Duration = .milliseconds(1_500)
        /// How the quality of the network is judged.
        public var quality = QualityPolicy.standard
        /// The clock of the delays.
        public var clock: any GatewayClock = SystemClock()

        /// The defaults.
        public init() {}

        /// Checks the values.
        ///
        /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`; the message names the property.
        public func validate() throws(NetworkError) {
            let rule = "must be more than 0"
            try NetworkError.require(networkRecheckInterval > .zero, "networkRecheckInterval", rule)
            try NetworkError.require(onlineDelay > .zero, "onlineDelay", rule)
            try NetworkError.require(offlineDelay > .zero, "offlineDelay", rule)
            try NetworkError.check("quality", quality.validate)
            if let heartbeat {
                try NetworkError.require(!origins.isEmpty, "heartbeat", "needs origins to connect to")
                try NetworkError.check("heartbeat", heartbeat.validate)
            }
            if let portalCheck {
                try NetworkError.require(!origins.isEmpty, "portalCheck", "needs origins to request")
                try NetworkError.check("portalCheck", portalCheck.validate)
            }
            try NetworkError.require(
                !reportsInterceptedTLS || !origins.isEmpty, "reportsInterceptedTLS", "needs origins")
        }

        /// Whether what the links say has no meaning for the calls of the program.
        var isAlwaysOnline: Bool { isProxied || !origins.isEmpty && origins.allSatisfy(\.isLoopback) }
    }
}
