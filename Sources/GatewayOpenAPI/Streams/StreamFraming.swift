/// How a stream is cut into values.
@_spi(Generated) public enum StreamFraming: Sendable {
    /// `text/event-stream`; a value is an event's data, and `[DONE]` ends the stream.
    case events
    /// JSON Lines: a value a line, empty lines apart.
    case lines
    /// JSON text sequences (RFC 7464): a value behind each record separator.
    case sequence
}

/// Cuts bytes that come in any pieces into the texts of values.
struct StreamCutter {
    /// What was cut.
    struct Piece {
        let event: ServerSentEvent
        let bytes: [UInt8]
        /// Which event, line or record it is, from 1 on; lines without a value count.
        let number: Int
    }

    private let framing: StreamFraming
    private var events = ServerSentEventParser()
    private var rest: [UInt8] = []
    private var count = 0
    /// Whether the stream said that it is over.
    private(set) var isOver = false

    init(_ framing: StreamFraming) { self.framing = framing }

    /// What a server needs to know to go on, and how long it wants clients to wait.
    var position: (id: String, retry: Duration?) { (events.lastID, events.lastRetry) }

    /// Whether a value came.
    var hasValues: Bool { count > 0 }

    /// Begins another response, which goes on after the last event.
    mutating func resume() { events.resume() }

    /// Bytes that are held for a value that is not complete.
    var heldBytes: Int { framing == .events ? events.heldBytes : rest.count }

    /// The values that are complete with these bytes.
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

    /// The last value, which may lack its end; an event must not.
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
