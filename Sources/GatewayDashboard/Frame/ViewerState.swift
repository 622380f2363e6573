import GatewayCore
import GatewayJSON

/// What a viewer has got, and so what it gets next. Pure.
///
/// A viewer gets `hello`, the columns of the history, the calls that are kept, and then frames. A viewer that has missed
/// frames gets the columns that it misses first. Calls that have no room in a frame follow in the next ones, as long as they
/// are kept.
struct ViewerState: Sendable {
    /// More columns than these are sent as events of their own.
    private static let columnsInFrame: UInt64 = 30
    private static let columnsInEvent = 100
    private static let callBytes = 48 << 10

    /// The newest column that was sent; it may have changed since.
    private var column: UInt64?
    /// The numbers of the calls that were sent and are still kept.
    private var sent: Set<UInt64> = []
    /// How many calls were sent, or left the lists before the viewer came.
    private var settled: UInt64 = 0
    /// How many calls left the lists before they had room.
    private var lost: UInt64 = 0
    /// The calls up to this number are sent before the first frame; `nil` before it is known.
    private var catchUp: UInt64?
    /// The number of the latest frame.
    private(set) var frame: UInt64 = 0

    /// The next event.
    ///
    /// - Parameter shared: the newest frame.
    mutating func next(_ shared: SharedFrame) -> [UInt8] {
        let newest = shared.now / History.columnNanoseconds
        let first = column ?? 0
        if column == nil || newest - min(newest, first) > Self.columnsInFrame,
            let event = history(shared, from: first, newest: newest)
        {
            return event
        }
        if frame == 0, let event = keptCalls(shared) { return event }
        defer { column = newest }
        return event(of: shared, column: column ?? 0)
    }

    /// The frame with the columns from a number on.
    mutating func event(of shared: SharedFrame, column: UInt64) -> [UInt8] {
        var members = shared.members(column: column)
        let missing = missing(in: shared)
        // In the order of their ends, as far as there is room for them in the order of their ranks.
        let chosen = take(missing.byRank, SharedFrame.room(besides: members)).sorted {
            $0.call.call.sequence < $1.call.call.sequence
        }
        members.append(UInt8(ascii: ","))
        members += JSONText.array("calls", chosen.map(\.json))
        let pending = UInt64(missing.count - chosen.count)
        let gone = shared.lastSequence.subtractingClamped(settled.addingClamped(pending))
        members += ",\"calls_pending\":\(pending),\"calls_omitted\":\(gone.subtractingClamped(lost))".utf8
        lost = gone
        frame = shared.number
        sent.formIntersection(shared.calls.lazy.map(\.call.sequence))
        return EventStream.event("frame", members)
    }

    /// The next part of the columns; `nil` if nothing is left.
    private mutating func history(_ shared: SharedFrame, from first: UInt64, newest: UInt64) -> [UInt8]? {
        let columns = shared.columns(from: first)
        let part = columns.prefix(Self.columnsInEvent)
        column = part.count == columns.count ? newest : (part.last?.number ?? newest) + 1
        guard !part.isEmpty else { return nil }
        return EventStream.event("history", JSONText.array("columns", part.map(\.json)))
    }

    // MARK: Calls

    /// The next part of the calls that were kept before the first frame, oldest first; `nil` if nothing is left.
    private mutating func keptCalls(_ shared: SharedFrame) -> [UInt8]? {
        if catchUp == nil { settled = shared.lastSequence.subtractingClamped(UInt64(shared.calls.count)) }
        let target = catchUp ?? shared.lastSequence
        catchUp = target
        let part = take(missing(in: shared).filter { $0.call.sequence <= target }, Self.callBytes)
        return part.isEmpty ? nil : EventStream.event("calls", JSONText.array("calls", part.map(\.json)))
    }

    /// The calls that are kept and were not sent.
    private func missing(in shared: SharedFrame) -> [KeptCalls.Listed] {
        shared.calls.filter { !sent.contains($0.call.sequence) }
    }

    /// The first calls that have room. They count as sent.
    private mutating func take(
        _ calls: [KeptCalls.Listed], _ byteLimit: Int
    ) -> [(call: KeptCalls.Listed, json: [UInt8])] {
        let json = calls.lazy.map(\.json).fitting(byteLimit)
        for call in calls.prefix(json.count) { sent.insert(call.call.sequence) }
        settled = settled.addingClamped(UInt64(json.count))
        return Array(zip(calls, json)).map { (call: $0.0, json: $0.1) }
    }
}
