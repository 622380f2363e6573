import BenchmarkClients

/// The command line of a benchmark whose options are counts and `--json`.
enum CountOptions {
    /// Reads the options.
    ///
    /// - Parameters:
    ///   - most: the largest count; the smallest is 1.
    ///   - set: takes an option with its count; false where it knows none of that name.
    /// - Returns: whether JSON is asked for.
    static func read(
        _ arguments: [String], most: Int, _ set: (_ option: String, _ count: Int) -> Bool
    ) throws(BenchmarkFailure) -> Bool {
        var isJSON = false
        var arguments = arguments[...]
        while let option = arguments.popFirst() {
            if option == "--json" {
                isJSON = true
                continue
            }
            guard let count = arguments.popFirst().flatMap({ Int($0) }), (1...most).contains(count)
            else { throw .usage("'\(option)' is unknown, or must be a number from 1 to \(most)") }
            guard set(option, count) else { throw .usage("unknown option '\(option)'") }
        }
        return isJSON
    }
}
