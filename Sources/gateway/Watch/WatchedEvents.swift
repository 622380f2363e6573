import GatewayClient

/// The events of a dashboard's stream, read from chunks of any size. Each is a line `event: NAME` and a line `data: JSON`.
struct WatchedEvents {
    /// An event that is larger ends the command.
    private static let limit = 1 << 20

    struct Event {
        let name: String
        let value: JSONValue
    }

    private var line: [UInt8] = []
    private var name = ""
    /// How long to wait before the stream is opened again, as it says (`retry`).
    private(set) var retryDelay = Duration.seconds(2)

    /// Begins with another connection.
    mutating func restart() { (line, name) = ([], "") }

    /// Reads bytes.
    ///
    /// - Parameter body: called with each event that they complete.
    /// - Throws: ``GatewayJSON/JSONError`` if an event is not valid, and `CommandFailure` if it is too large.
    mutating func read(_ bytes: some Sequence<UInt8>, _ body: (Event) throws -> Void) throws {
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                guard line.count < Self.limit else {
                    throw CommandFailure(ExitStatus.network, "the response is not the stream of a dashboard")
                }
                line.append(byte)
                continue
            }
            if let event = try takeLine() { try body(event) }
        }
    }

    private mutating func takeLine() throws -> Event? {
        defer { line.removeAll(keepingCapacity: true) }
        if let value = Self.value(of: "event: ", in: line) {
            name = String(decoding: value, as: UTF8.self)
        } else if let value = Self.value(of: "data: ", in: line) {
            return Event(name: name, value: try JSONValue(jsonBytes: Array(value)))
        } else if let value = Self.value(of: "retry: ", in: line),
            let milliseconds = UInt16(String(decoding: value, as: UTF8.self))
        {
            retryDelay = .milliseconds(max(100, milliseconds))
        }
        return nil
    }

    private static func value(of field: String, in line: [UInt8]) -> ArraySlice<UInt8>? {
        line.starts(with: field.utf8) ? line.dropFirst(field.utf8.count) : nil
    }
}
