/// Why there is no measurement.
package enum BenchmarkFailure: Error {
    case failed(String)
}
