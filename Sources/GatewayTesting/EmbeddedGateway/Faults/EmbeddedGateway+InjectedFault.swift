extension EmbeddedGateway {
    /// An injected fault.
    public struct InjectedFault: Sendable {
        let controls: GatewayControls
        let id: UInt64

        /// The number of affected requests.
        public var hits: Int { controls.withFaults { $0.hits(id) } }

        /// Removes the fault.
        public func remove() { controls.withFaults { $0.remove(id) } }
    }
}
