import GatewayCore
import GatewayTelemetry

/// The calls of the last ten minutes in columns of 2 s, in memory of a fixed size. Times are nanoseconds from the start of the
/// collector; an earlier time than before, as on another thread, counts as that one.
struct History: Sendable {
    /// The length of a column.
    static let columnNanoseconds: UInt64 = 2_000_000_000
    /// The number of columns.
    static let columnCount = 300
    /// The length of the history.
    static let span = columnNanoseconds * UInt64(columnCount)
    /// The upper bounds of the rows of the heat map, in nanoseconds. The last row has none.
    static let heatBounds: [16 of UInt64] = [
        500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000, 100_000_000,
        200_000_000, 500_000_000, 1_000_000_000, 2_000_000_000, 5_000_000_000, 10_000_000_000,
        20_000_000_000, 50_000_000_000,
    ]

    struct Column: Sendable {
        /// Its number since the start of the collector.
        let number: UInt64
        var started = 0
        var succeeded = 0
        /// Responses with a status of 400 or more.
        var errorResponses = 0
        var errors = 0
        var cancelled = 0
        var retries = 0
        /// Percentiles of the durations of the calls that ended, in nanoseconds; `nil` without any.
        var p50: UInt64?
        var p95: UInt64?
        var p99: UInt64?
        /// The calls that ended, by duration.
        var heat: [17 of Int] = .init(repeating: 0)

        init(number: UInt64) { self.number = number }

        /// Whether nothing happened.
        var isEmpty: Bool {
            started == 0 && succeeded == 0 && errorResponses == 0 && errors == 0 && cancelled == 0
                && retries == 0
        }
    }

    /// By number modulo the number of columns.
    private var columns: [Column]
    private var newest: UInt64 = 0
    /// The durations of the newest column.
    private var durations = DurationHistogram()

    init() { columns = (0..<Self.columnCount).map { Column(number: UInt64($0)) } }

    /// Counts the beginning of a call.
    mutating func begin(at time: UInt64) { current(at: time) { $0.started += 1 } }

    /// Counts a retry that was scheduled.
    mutating func retry(at time: UInt64) { current(at: time) { $0.retries += 1 } }

    /// Counts the end of a call.
    mutating func end(_ outcome: CallRecord.Outcome, nanoseconds: UInt64, at time: UInt64) {
        let row = Self.row(of: nanoseconds)
        current(at: time) { column in
            switch outcome {
            case .status(let status) where status < 400: column.succeeded += 1
            case .status: column.errorResponses += 1
            case .error: column.errors += 1
            case .cancelled: column.cancelled += 1
            }
            column.heat[row] += 1
        }
        durations.record(DurationHistogram.Sample(nanoseconds: nanoseconds))
    }

    /// The columns from a number up to the one of a time, oldest first, without those in which nothing happened.
    mutating func columns(from first: UInt64, at time: UInt64) -> [Column] {
        current(at: time) { _ in }
        setPercentiles()
        let oldest = newest - min(newest, UInt64(Self.columnCount) - 1)
        guard max(first, oldest) <= newest else { return [] }
        return (max(first, oldest)...newest).compactMap { number in
            let column = columns[Int(number % UInt64(Self.columnCount))]
            return column.number == number && !column.isEmpty ? column : nil
        }
    }

    /// The row of a duration. Bounds belong to the row below them.
    private static func row(of nanoseconds: UInt64) -> Int {
        var row = 0
        while row < heatBounds.count, nanoseconds > heatBounds[row] { row += 1 }
        return row
    }

    @inline(__always)
    private mutating func current(at time: UInt64, _ change: (inout Column) -> Void) {
        let number = time / Self.columnNanoseconds
        if number > newest { begin(column: number) }
        change(&columns[Int(newest % UInt64(Self.columnCount))])
    }

    @inline(never)
    private mutating func begin(column number: UInt64) {
        setPercentiles()
        durations = DurationHistogram()
        newest = number
        columns[Int(number % UInt64(Self.columnCount))] = Column(number: number)
    }

    /// Sets the percentiles of the newest column.
    private mutating func setPercentiles() {
        guard let p50 = durations.p50 else { return }
        let index = Int(newest % UInt64(Self.columnCount))
        columns[index].p50 = p50.metricNanoseconds
        columns[index].p95 = durations.p95?.metricNanoseconds
        columns[index].p99 = durations.p99?.metricNanoseconds
    }
}
