private import GatewayLibC

/// The environment variables of the process.
public enum ProcessEnvironment {
    /// Returns the value of a variable.
    public typealias LookUp = @Sendable (_ name: String) -> String?

    /// The current value of a variable; `nil` if it is not set, empty or not UTF-8.
    ///
    /// Setting variables while other threads read them is a data race (`setenv(3)`).
    public static let value: LookUp = { name in
        guard let value = unsafe getenv(name), let text = unsafe String(validatingCString: value) else {
            return nil
        }
        return text.isEmpty ? nil : text
    }
}
