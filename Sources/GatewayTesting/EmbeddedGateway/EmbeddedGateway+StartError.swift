import GatewayCore
private import GatewayLibC

extension EmbeddedGateway {
    /// Why a gateway did not start: the port is in use, or the system has no sockets, threads or keys.
    public struct StartError: Error, CustomStringConvertible {
        /// A sentence that describes the failure.
        public let message: String

        init(_ message: String) { self.message = message }

        /// - Parameter code: the `errno` of the failed call.
        init(_ what: String, code: Int32) {
            self.init("\(what): \(Self.reason(code)).")
        }

        private static func reason(_ code: Int32) -> String {
            if NetworkError.isDescriptorShortage(code) {
                return "no file descriptor is left; close some, or raise the limit (ulimit -n)"
            }
            return switch code {
            case EADDRINUSE: "the address is already in use"
            case EACCES, EPERM: "not permitted; a port below 1024 requires privileges"
            case EADDRNOTAVAIL: "this machine does not have the address"
            default: "errno \(code)"
            }
        }

        /// The message.
        public var description: String { message }
    }
}
