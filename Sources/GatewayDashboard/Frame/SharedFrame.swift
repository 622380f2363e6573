import GatewayCore
import GatewayJSON
import GatewayTelemetry

/// A frame: the part that is the same for all viewers, and what each viewer gets its calls and columns from.
final class SharedFrame: Sendable {
    /// The maximum size of an event of the stream, in bytes.
    static let byteLimit = 64 << 10
    /// Room for the name of the event and the members that a viewer adds.
    private static let frameRoom = 512
    /// Room that the state has in any case. It may also have what the operations leave.
    private static let stateRoom = 10 << 10
    private static let openLimit = 8 << 10
    /// Room that the columns and the calls of a viewer have in any case.
    private static let viewerRoom = 12 << 10

    let number: UInt64
    /// Nanoseconds from the start of the collector.
    let now: UInt64
    /// The members that all viewers get, without braces.
    let members: [UInt8]
    /// The calls that are kept, in the order of their ends.
    let calls: [KeptCalls.Listed]
    /// The number of the latest call; 0 before the first one.
    let lastSequence: UInt64
    private let history: History

    init(_ snapshot: Snapshot) {
        number = snapshot.number
        now = snapshot.now
        calls = snapshot.shared.calls.listed
        lastSequence = snapshot.shared.calls.lastSequence
        history = snapshot.shared.history
        members = Self.members(of: snapshot)
    }

    /// The columns from a number on.
    func columns(from first: UInt64) -> [History.Column] {
        var history = history
        return history.columns(from: first, at: now)
    }

    private static func members(of snapshot: Snapshot) -> [UInt8] {
        var members = JSONText.members { writer in
            writer.name("frame")
            writer.integer(snapshot.number)
            writer.name("start_unix_ms")
            writer.integer(snapshot.unixStart.wholeMilliseconds)
            writer.milliseconds("now_ms", snapshot.now)
            writer.count("dropped", snapshot.untracked)
            snapshot.writeDiagnosis(to: &writer)
            snapshot.writeTotals(to: &writer)
        }
        let open = JSONText.array(
            "open", snapshot.open.lazy.map { $0.openJSON(at: snapshot.now) }.fitting(openLimit))
        let room = byteLimit - frameRoom - viewerRoom - members.count - open.count
        let operations = snapshot.operations
        let size = operations.reduce(0) { $0 + $1.count + 1 }
        let state = snapshot.state(byteLimit: max(stateRoom, room - size))
        let shown = operations.fitting(max(0, room - state.count))
        for part in [open, state, JSONText.array("operations", shown)] {
            members.append(UInt8(ascii: ","))
            members += part
        }
        members += ",\"operations_omitted\":\(snapshot.metrics.total.operations.count - shown.count)".utf8
        return members
    }

    /// The members with the columns from a number on.
    func members(column: UInt64) -> [UInt8] {
        members + [UInt8(ascii: ",")] + JSONText.array("columns", columns(from: column).map(\.json))
    }

    /// How many bytes calls can have besides other members.
    static func room(besides members: [UInt8]) -> Int { max(0, byteLimit - frameRoom - members.count) }
}

extension Sequence<[UInt8]> {
    /// The first values that have room, separators included.
    func fitting(_ byteLimit: Int) -> [[UInt8]] {
        var values: [[UInt8]] = []
        var size = 0
        for value in self {
            size += value.count + 1
            guard size <= byteLimit else { break }
            values.append(value)
        }
        return values
    }
}

/// The format of `text/event-stream`.
enum EventStream {
    /// An event with an object.
    ///
    /// - Parameter members: the members of the object, in one line.
    static func event(_ name: StaticString, _ members: [UInt8]) -> [UInt8] {
        Array("event: \(name)\ndata: {".utf8) + members + Array("}\n\n".utf8)
    }
}
