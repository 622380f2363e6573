/// Parses server-sent events from chunks of any size (WHATWG HTML, section 9.2.6). Lines end with CR, LF or CRLF. A BOM
/// at the start is skipped. An event without an empty line after it is discarded at the end.
struct ServerSentEventParser {
    private var line: [UInt8] = []
    private var isAfterReturn = false
    private var isAtStart = true
    private var type = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var id = ""
    private var retry: Duration?
    /// The last event ID; empty if no ID was received or the server reset it.
    private(set) var lastID = ""
    /// The last reconnection time from the server.
    private(set) var lastRetry: Duration?

    /// In bytes. Common servers refuse requests whose fields are larger than 8,192 bytes.
    private static let longestID = 1_024

    /// The number of buffered bytes of an incomplete event.
    var heldBytes: Int { line.count + data.count }

    /// Reads bytes and appends the events that they complete.
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

    /// Starts a new response that continues after the last event. An incomplete event is discarded.
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
        // A line that starts with a colon is a comment.
        if colon == 0 { return }
        var value = colon.map { line[($0 + 1)...] } ?? []
        if value.first == 0x20 { value.removeFirst() }
        switch String(decoding: line[..<(colon ?? line.count)], as: UTF8.self) {
        case "event": type = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(0x0A) }
            hasData = true
            data += value
        case "id": if Self.isUsable(value) { id = String(decoding: value, as: UTF8.self) }
        case "retry":
            let isNumber = !value.isEmpty && value.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
            if isNumber, let count = Int64(String(decoding: value, as: UTF8.self)) {
                retry = .milliseconds(count)
                lastRetry = retry
            }
        default: break
        }
    }

    /// Whether an ID can be sent back in `Last-Event-ID`. Any other is ignored, as one with NUL is (WHATWG HTML, section 9.2.6):
    /// the stream continues after an earlier event.
    private static func isUsable(_ id: some Collection<UInt8>) -> Bool {
        id.count <= longestID && id.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    private mutating func dispatch(into events: inout [ServerSentEvent]) {
        lastID = id
        defer {
            type = ""
            data = []
            hasData = false
            retry = nil
        }
        // An event with an empty data line is dispatched, an event without a data line is not.
        guard hasData else { return }
        events.append(
            ServerSentEvent(
                type: type.isEmpty ? "message" : type, data: String(decoding: data, as: UTF8.self), id: id,
                retry: retry))
    }
}
