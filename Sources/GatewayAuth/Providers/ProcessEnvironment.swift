#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The environment variables of the process.
public enum ProcessEnvironment {
    /// Looks a variable up.
    public typealias LookUp = @Sendable (_ name: String) -> String?

    /// The value of a variable now; `nil` where it is not set, empty or no UTF-8.
    ///
    /// A process that sets variables while others read them has a race of its own (`setenv(3)`).
    public static let value: LookUp = { name in
        guard let value = unsafe getenv(name), let text = unsafe String(validatingCString: value) else {
            return nil
        }
        return text.isEmpty ? nil : text
    }
}
