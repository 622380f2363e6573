extension EmbeddedGateway {
    /// A fault that was injected.
    public struct InjectedFault: Sendable {
        let controls: GatewayControls
        let id: UInt64

        /// How many requests it has hit.
        public var hits: Int { controls.withFaults { $0.hits(id) } }

        /// Takes it back.
        public func remove() { controls.withFaults { $0.remove(id) } }
    }
}
