import GatewayLibC

/// The environment variables of the process.
enum ProcessVariables {
    /// The value of a variable.
    enum Value: Equatable, Sendable {
        case unset
        case text(String)
        /// Bytes that are not UTF-8.
        case unreadable
    }

    /// The value of a variable.
    static func value(_ name: String) -> Value {
        guard let bytes = unsafe getenv(name) else { return .unset }
        return unsafe String(validatingCString: bytes).map { .text($0) } ?? .unreadable
    }

    /// Reads variables.
    ///
    /// - Parameter variables: `nil` for those of the process.
    static func reader(of variables: [String: String]?) -> @Sendable (String) -> Value {
        guard let variables else { return { value($0) } }
        return { name in variables[name].map { .text($0) } ?? .unset }
    }
}
