extension EmbeddedGateway {
    /// Why a gateway did not start: the port is in use, or the system has no sockets, threads or keys.
    public struct StartError: Error, CustomStringConvertible {
        /// A sentence that describes the failure.
        public let message: String

        init(_ message: String) { self.message = message }

        /// The message.
        public var description: String { message }
    }
}
