import GatewayCore

extension EmbeddedGateway {
    /// Why a gateway did not start: the port is taken, or the system gives no sockets, threads or keys.
    public struct StartError: Error, CustomStringConvertible {
        /// A sentence that says what failed.
        public let message: String

        init(_ message: String) { self.message = message }

        /// - Parameter code: the `errno` of what failed.
        init(_ what: String, code: Int32) {
            let reason =
                NetworkError.isDescriptorShortage(code)
                ? "no file descriptor is left; close some, or raise the limit (ulimit -n)" : "errno \(code)"
            self.init("\(what): \(reason).")
        }

        /// The message.
        public var description: String { message }
    }
}
