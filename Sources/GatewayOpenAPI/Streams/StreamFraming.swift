/// How a stream is divided into values.
@_spi(Generated) public enum StreamFraming: Sendable {
    /// `text/event-stream`: a value is the data of an event. `[DONE]` ends the stream.
    case events
    /// JSON Lines: one value per line. Blank lines are skipped.
    case lines
    /// JSON text sequence (RFC 7464): one value after each record separator.
    case sequence
}

/// Divides chunks of any size into the texts of values.
struct StreamCutter {
    /// The text of a value.
    struct Piece {
        let event: ServerSentEvent
        let bytes: [UInt8]
        /// The number of the event, line or record, from 1. Blank lines are counted.
        let number: Int
    }

    private let framing: StreamFraming
    private var events = ServerSentEventParser()
    private var rest: [UInt8] = []
    private var count = 0
    /// Whether the stream has sent its end marker.
    private(set) var isOver = false

    init(_ framing: StreamFraming) { self.framing = framing }

    /// The last event ID and the reconnection time from the server.
    var position: (id: String, retry: Duration?) { (events.lastID, events.lastRetry) }

    /// Whether a value was received.
    var hasValues: Bool { count > 0 }

    /// Starts a new response that continues after the last event.
    mutating func resume() { events.resume() }

    /// The number of buffered bytes of an incomplete value.
    var heldBytes: Int { framing == .events ? events.heldBytes : rest.count }

    /// Appends bytes and returns the values that they complete.
    mutating func read(_ bytes: some Sequence<UInt8>) -> [Piece] {
        var result: [Piece] = []
        guard framing != .events else {
            var found: [ServerSentEvent] = []
            events.read(bytes, into: &found)
            for event in found {
                if event.data == "[DONE]" {
                    isOver = true
                    break
                }
                count += 1
                result.append(Piece(event: event, bytes: Array(event.data.utf8), number: count))
            }
            return result
        }
        let end: UInt8 = framing == .lines ? 0x0A : 0x1E
        for byte in bytes {
            if byte == end { cut(into: &result) } else { rest.append(byte) }
        }
        return result
    }

    /// Ends the stream and returns its last value, if any. Events require a terminator, other values do not.
    mutating func finish() -> [Piece] {
        var result: [Piece] = []
        if framing != .events { cut(into: &result) }
        return result
    }

    private mutating func cut(into result: inout [Piece]) {
        if framing == .lines { count += 1 }
        let isBlank = rest.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if !isBlank {
            if framing == .sequence { count += 1 }
            result.append(
                Piece(
                    event: ServerSentEvent(data: String(decoding: rest, as: UTF8.self)), bytes: rest,
                    number: count))
        }
        rest.removeAll(keepingCapacity: true)
    }
}
