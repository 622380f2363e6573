/// What the proxy does to connections and their bytes.
struct Settings: Equatable {
    /// What happens to connections as a whole.
    enum Mode: String, CaseIterable {
        /// Bytes are forwarded.
        case open
        /// New connections are refused; open ones continue.
        case refuse
        /// The peer has vanished: new connections are accepted, and nothing is read, written or closed.
        case halfOpen = "half-open"
        /// All packets are lost: attempts to connect get no answer, and nothing is read, written or closed.
        case blackHole = "black-hole"

        /// Whether nothing is read, written or closed.
        var isFrozen: Bool { self == .halfOpen || self == .blackHole }
    }

    /// What happens to the bytes of one direction.
    struct Direction: Equatable {
        /// The shortest delay, in nanoseconds.
        var delay: UInt64 = 0
        /// What is added to the delay at most, in nanoseconds.
        var jitter: UInt64 = 0
        /// Bytes per second; `nil` for no limit.
        var rate: UInt64?
        /// The probability that a piece is lost and sent again after 200 ms, then 400 ms, and so on.
        var loss = 0.0
        /// Whether nothing is forwarded.
        var isStalled = false
        /// A connection is closed after so many bytes; `nil` for no limit.
        var cut: UInt64?
    }

    var mode = Mode.open
    /// The probability that a connection is reset when the client has sent its first bytes.
    var reset = 0.0
    /// From the client to the server.
    var up = Direction()
    /// From the server to the client.
    var down = Direction()

    /// The settings as a JSON object, with the keys and units of the `set` command.
    var json: String {
        func text(_ value: UInt64?) -> String { value.map(String.init) ?? "null" }
        func object(_ direction: Direction) -> String {
            JSONText.object([
                ("delay", JSONText.string(Quantity.text(nanoseconds: direction.delay))),
                ("jitter", JSONText.string(Quantity.text(nanoseconds: direction.jitter))),
                ("rate", text(direction.rate)), ("loss", "\(direction.loss)"),
                ("stall", "\(direction.isStalled)"), ("cut", text(direction.cut)),
            ])
        }
        return JSONText.object([
            ("mode", JSONText.string(mode.rawValue)), ("reset", "\(reset)"), ("up", object(up)),
            ("down", object(down)),
        ])
    }
}
