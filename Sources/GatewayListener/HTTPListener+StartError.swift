import GatewayCore
private import GatewayLibC

extension HTTPListener {
    /// Why a listener did not start: the address is in use, or the system has no sockets or threads.
    package struct StartError: Error {
        /// A sentence that describes the failure.
        package let message: String

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
            case ENOENT: "the folder does not exist"
            default: "errno \(code)"
            }
        }
    }
}
