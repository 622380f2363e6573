import GatewayCore

/// Bounds the lines of each kind in a second, and counts those that are left out. Pure: seconds are passed in.
struct LineLimit: Sendable {
    /// What lines of one kind have in common: their event and what caused it.
    struct Kind: Hashable, Sendable {
        var event: String
        var error: String?
        var status: Int?
    }

    /// The lines of a kind that were left out.
    struct Omission: Sendable {
        let kind: Kind
        let level: JSONLogSink.Level
        let count: Int
    }

    private struct Lines {
        let level: JSONLogSink.Level
        var count = 0
    }

    /// The maximum number of kinds that are counted apart; those beyond it share a count.
    private static let maximumKinds = 1_000

    private let linesPerSecond: Int
    private var second: Int64 = 0
    private var lines: [Kind: Lines] = [:]

    /// The number of all lines that were left out.
    private(set) var omittedCount = 0

    /// - Parameter linesPerSecond: the maximum of each kind, 1 or more; `nil` for no limit.
    init(linesPerSecond: Int?) { self.linesPerSecond = max(1, linesPerSecond ?? .max) }

    /// Whether lines were left out and not taken.
    var hasOmissions: Bool { lines.values.contains { $0.count > linesPerSecond } }

    /// Begins a second, unless it is the current one.
    ///
    /// - Returns: the lines that were left out in the earlier second.
    mutating func begin(_ second: Int64) -> [Omission] {
        guard second != self.second else { return [] }
        self.second = second
        defer { lines.removeAll(keepingCapacity: true) }
        return takeOmissions()
    }

    /// Whether a line may be written. If not, it is counted.
    mutating func admits(_ kind: Kind, _ level: JSONLogSink.Level) -> Bool {
        guard linesPerSecond < .max else { return true }
        let isKnown = lines[kind] != nil || lines.count < Self.maximumKinds
        let counted = isKnown ? kind : Kind(event: "others")
        let count = (lines[counted]?.count ?? 0).addingClamped(1)
        lines[counted, default: Lines(level: level)].count = count
        guard count > linesPerSecond else { return true }
        omittedCount = omittedCount.addingClamped(1)
        return false
    }

    /// The lines that were left out so far, each of which is returned once; the most frequent kind first.
    mutating func takeOmissions() -> [Omission] {
        var omissions: [Omission] = []
        for (kind, lines) in lines where lines.count > linesPerSecond {
            omissions.append(Omission(kind: kind, level: lines.level, count: lines.count - linesPerSecond))
            self.lines[kind]?.count = linesPerSecond
        }
        return omissions.sorted { ($1.count, $0.kind.event) < ($0.count, $1.kind.event) }
    }
}

extension LogEntry {
    /// The kind of the line.
    var kind: LineLimit.Kind {
        var kind = LineLimit.Kind(event: event)
        for (field, value) in fields {
            switch (field, value) {
            case (.error, .text(let code)?): kind.error = code
            case (.status, .integer(let status)?): kind.status = status
            default: break
            }
        }
        return kind
    }

    /// The line that reports lines that were left out.
    init(_ omission: LineLimit.Omission) {
        self.init(
            omission.level, "lines_omitted",
            [
                (.kind, .text(omission.kind.event)), (.status, omission.kind.status.map { .integer($0) }),
                (.error, omission.kind.error.map { .text($0) }), (.count, .integer(omission.count)),
            ])
    }
}
