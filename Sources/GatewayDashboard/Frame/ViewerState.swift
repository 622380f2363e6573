import GatewayCore
import GatewayJSON

/// What a viewer has got, and so what it gets next. Pure.
///
/// A viewer gets `hello`, the columns of the history, the calls that are kept, and then frames. A viewer that has missed
/// frames gets the columns that it misses first.
struct ViewerState: Sendable {
    /// More columns than these are sent as events of their own.
    private static let columnsInFrame: UInt64 = 30
    private static let columnsInEvent = 100
    private static let callBytes = 48 << 10

    /// The newest column that was sent; it may have changed since.
    private var column: UInt64?
    /// The number of the latest call that was considered.
    private var sequence: UInt64 = 0
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
        let target = catchUp ?? shared.calls.lastSequence
        catchUp = target
        if sequence < target, let event = keptCalls(shared, upTo: target) { return event }
        defer {
            frame = shared.number
            column = newest
            sequence = max(sequence, shared.calls.lastSequence)
        }
        return shared.event(column: column ?? 0, after: sequence)
    }

    /// The next part of the columns; `nil` if nothing is left.
    private mutating func history(_ shared: SharedFrame, from first: UInt64, newest: UInt64) -> [UInt8]? {
        let columns = shared.columns(from: first)
        let part = columns.prefix(Self.columnsInEvent)
        column = part.count == columns.count ? newest : (part.last?.number ?? newest) + 1
        guard !part.isEmpty else { return nil }
        return EventStream.event("history", JSONText.array("columns", part.map(\.json)))
    }

    /// The next part of the calls that were kept before the first frame, oldest first; `nil` if nothing is left.
    private mutating func keptCalls(_ shared: SharedFrame, upTo target: UInt64) -> [UInt8]? {
        let calls = shared.calls.calls(after: sequence).filter { $0.call.sequence <= target }
        let part = calls.lazy.map(\.json).fitting(Self.callBytes)
        guard !part.isEmpty else {
            sequence = target
            return nil
        }
        sequence = part.count == calls.count ? target : calls[part.count - 1].call.sequence
        return EventStream.event("calls", JSONText.array("calls", part))
    }
}
