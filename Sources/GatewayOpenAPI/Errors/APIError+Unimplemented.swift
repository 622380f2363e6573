internal import GatewayCore

extension APIError {
    /// The error of an operation that a fake does not implement.
    @_spi(Generated) public static func unimplemented(_ operation: String) -> APIError {
        APIError(
            failed: NetworkError(.misconfigured, "The fake does not implement this operation."),
            operation: "\(operation)")
    }
}
