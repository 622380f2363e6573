import GatewayClient

/// The events of a dashboard's stream, read from chunks of any size. Each is a line `event: NAME` and a line `data: JSON`.
struct WatchedEvents {
    /// An event that is larger ends the command.
    private static let limit = 1 << 20
    /// The version of the stream that this command shows.
    private static let version = 1

    struct Event {
        let name: String
        let value: JSONValue
    }

    /// Why the response is not shown.
    static let isForeign = CommandFailure(
        ExitStatus.network, "the response is not the stream of a dashboard")

    private var line: [UInt8] = []
    private var name = ""
    private var hasBegun = false
    /// How long to wait before the stream is opened again, as it says (`retry`).
    private(set) var retryDelay = Duration.seconds(2)

    /// Begins with another connection.
    mutating func restart() { (line, name, hasBegun) = ([], "", false) }

    /// Reads bytes.
    ///
    /// - Parameter body: called with each `hello` and `frame` that they complete.
    /// - Throws: `CommandFailure` if an event is too large or not valid, or if the stream begins without a `hello` of a version
    ///   that is known.
    mutating func read(_ bytes: some Sequence<UInt8>, _ body: (Event) throws -> Void) throws {
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                guard line.count < Self.limit else { throw Self.isForeign }
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
            return try event(value)
        } else if let value = Self.value(of: "retry: ", in: line),
            let milliseconds = UInt16(String(decoding: value, as: UTF8.self))
        {
            retryDelay = .milliseconds(max(100, milliseconds))
        }
        return nil
    }

    private mutating func event(_ json: ArraySlice<UInt8>) throws -> Event? {
        let isHello = name == "hello"
        guard isHello || hasBegun else { throw Self.isForeign }
        // What the page draws of calls and columns has no place in lines.
        guard isHello || name == "frame" else { return nil }
        guard let value = try? JSONValue(jsonBytes: Array(json)),
            value[isHello ? "version" : "now_ms"]?.double != nil
        else { throw Self.isForeign }
        if isHello {
            guard value["version"]?.int == Self.version else {
                throw CommandFailure(
                    ExitStatus.network,
                    "the dashboard is of another version; use the gateway command of the same release")
            }
            hasBegun = true
        }
        return Event(name: name, value: value)
    }

    private static func value(of field: String, in line: [UInt8]) -> ArraySlice<UInt8>? {
        line.starts(with: field.utf8) ? line.dropFirst(field.utf8.count) : nil
    }
}
