internal import GatewayCore

extension APIError {
    /// What a fake throws that lacks an operation.
    @_spi(Generated) public static func unimplemented(_ operation: StaticString) -> APIError {
        APIError(
            cause: NetworkError(.misconfigured, "The fake does not implement this operation."),
            operation: "\(operation)")
    }
}
