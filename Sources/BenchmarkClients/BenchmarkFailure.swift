/// Why there is no measurement.
package enum BenchmarkFailure: Error {
    case usage(String)
    case failed(String)
}
