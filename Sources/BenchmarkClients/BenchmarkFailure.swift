/// The reason why a measurement failed.
package struct BenchmarkFailure: Error, CustomStringConvertible {
    package let description: String

    package static func failed(_ message: String) -> Self { Self(description: message) }
}
