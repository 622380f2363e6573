/// Why there is no measurement.
package enum BenchmarkFailure: Error, CustomStringConvertible {
    case failed(String)

    package var description: String {
        switch self {
        case .failed(let message): message
        }
    }
}
