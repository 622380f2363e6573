extension EmbeddedGateway {
    /// Why a gateway did not start: the port is taken, or the system gives no sockets, threads or keys.
    public struct StartError: Error, CustomStringConvertible {
        /// A sentence that says what failed.
        public let message: String

        init(_ message: String) { self.message = message }

        /// The message.
        public var description: String { message }
    }
}
