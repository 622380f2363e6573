import GatewayLibC

/// The environment variables of the process.
enum ProcessVariables {
    /// The value of a variable; `nil` if it is not set or not UTF-8.
    static func value(_ name: String) -> String? {
        unsafe getenv(name).flatMap { unsafe String(validatingCString: $0) }
    }
}
