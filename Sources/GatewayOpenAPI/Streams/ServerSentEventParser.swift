/// Reads events from bytes that come in any pieces (WHATWG HTML, section 9.2.6): lines end with CR, LF or both, a BOM
/// at the start is skipped, and what has no empty line behind it at the end is no event.
struct ServerSentEventParser {
    private var line: [UInt8] = []
    private var isAfterReturn = false
    private var isAtStart = true
    private var type = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var id = ""
    private var retry: Duration?
    /// The ID of the last event that is complete; empty for none.
    private(set) var lastID = ""
    /// The time that the server named last.
    private(set) var lastRetry: Duration?

    /// Bytes that are held for an event that is not complete.
    var heldBytes: Int { line.count + data.count }

    /// The events that are complete with these bytes.
    mutating func read(_ bytes: some Sequence<UInt8>, into events: inout [ServerSentEvent]) {
        for byte in bytes {
            switch byte {
            case 0x0A where isAfterReturn: isAfterReturn = false
            case 0x0A, 0x0D:
                isAfterReturn = byte == 0x0D
                end(into: &events)
            default:
                isAfterReturn = false
                line.append(byte)
            }
        }
    }

    /// Begins another response, which goes on after the last event. What was not complete is dropped.
    mutating func resume() {
        var next = ServerSentEventParser()
        (next.id, next.lastID, next.lastRetry) = (lastID, lastID, lastRetry)
        self = next
    }

    private mutating func end(into events: inout [ServerSentEvent]) {
        if isAtStart {
            isAtStart = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        if line.isEmpty { dispatch(into: &events) } else { field() }
        line.removeAll(keepingCapacity: true)
    }

    private mutating func field() {
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        // A line that begins with a colon is a comment.
        if colon == 0 { return }
        var value = colon.map { line[($0 + 1)...] } ?? []
        if value.first == 0x20 { value.removeFirst() }
        switch String(decoding: line[..<(colon ?? line.count)], as: UTF8.self) {
        case "event": type = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(0x0A) }
            hasData = true
            data += value
        case "id": if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        case "retry":
            let isNumber = !value.isEmpty && value.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
            if isNumber, let count = Int64(String(decoding: value, as: UTF8.self)) {
                retry = .milliseconds(count)
                lastRetry = retry
            }
        default: break
        }
    }

    private mutating func dispatch(into events: inout [ServerSentEvent]) {
        lastID = id
        defer {
            type = ""
            data = []
            hasData = false
            retry = nil
        }
        // An event with empty data is one; without a line of data it is none.
        guard hasData else { return }
        events.append(
            ServerSentEvent(
                type: type.isEmpty ? "message" : type, data: String(decoding: data, as: UTF8.self), id: id,
                retry: retry))
    }
}
