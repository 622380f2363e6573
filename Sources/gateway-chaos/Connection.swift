/// A connection of a client, and the one to the server behind it.
struct Connection {
    /// One of the two sockets.
    struct Side {
        var descriptor: Int32
        /// What epoll waits for; `nil` if it does not know the socket.
        var interest: Epoll.Interest?
        /// Whether the last attempt to write could not write all, or the socket is connecting.
        var isFull = false
    }

    let id: UInt64
    var client: Side
    /// Without a descriptor until the first packet may be sent.
    var server = Side(descriptor: -1)
    var isConnecting = false
    var up = Pump()
    var down = Pump()
    /// Sequences of their own: how the pieces of one connection or direction mix with those of another is a matter of
    /// time, which no seed repeats.
    var randomUp: SeededRandom
    var randomDown: SeededRandom
    /// Whether the client's first bytes reset the connection.
    let isDoomed: Bool
    /// When a timer looks at it.
    var scheduled = UInt64.max

    /// The token of a side in epoll.
    func token(isServer: Bool) -> UInt64 { id << 1 | (isServer ? 1 : 0) }
}

/// How a connection ended.
enum Ending {
    /// Both sides have ended.
    case finished
    /// One side was reset, or a reset was asked for.
    case reset
    /// It was cut.
    case cut
}

extension Connection {
    /// Reads and writes all that is possible now.
    ///
    /// - Returns: how the connection ended, if it did.
    mutating func transfer(_ settings: Settings, now: UInt64) -> Ending? {
        do throws(SystemError) {
            if up.hasRoom, !settings.up.isStalled,
                let bytes = try Sockets.read(client.descriptor, upTo: Self.readSize)
            {
                if isDoomed, !bytes.isEmpty { return .reset }
                up.take(bytes[...], settings.up, now: now, random: &randomUp)
            }
            guard !isConnecting else { return nil }
            if down.hasRoom, !settings.down.isStalled,
                let bytes = try Sockets.read(server.descriptor, upTo: Self.readSize)
            {
                down.take(bytes[...], settings.down, now: now, random: &randomDown)
            }
            if try Self.write(&up, to: &server, settings.up, now: now) { return .cut }
            if try Self.write(&down, to: &client, settings.down, now: now) { return .cut }
        } catch { return .reset }
        // Nothing more comes from a stalled direction: the end of the other one is the end of the connection.
        if up.isFinished, down.isFinished || settings.down.isStalled { return .finished }
        return down.isFinished && settings.up.isStalled ? .finished : nil
    }

    private static let readSize = 64 << 10

    /// Writes what may be written.
    ///
    /// - Returns: whether the connection is to be cut.
    private static func write(
        _ pump: inout Pump, to side: inout Side, _ settings: Settings.Direction, now: UInt64
    ) throws(SystemError) -> Bool {
        side.isFull = false
        while true {
            switch pump.next(settings, now: now) {
            case .cut: return true
            case .wait: return false
            case .end:
                Sockets.endWriting(side.descriptor)
                pump.finish()
                return false
            case .bytes(let bytes):
                let count = try Sockets.write(side.descriptor, bytes)
                if count > 0 { pump.wrote(count, settings, now: now) }
                guard count == bytes.count else {
                    side.isFull = true
                    return false
                }
            }
        }
    }

    /// When there is something to do without an event.
    func wakeup(_ settings: Settings, now: UInt64) -> UInt64? {
        guard !isConnecting else { return nil }
        var earliest: UInt64?
        for (pump, side, direction) in [(up, server, settings.up), (down, client, settings.down)] {
            guard !side.isFull, case .wait(let due?) = pump.next(direction, now: now) else { continue }
            earliest = min(earliest ?? due, due)
        }
        return earliest
    }

    /// What epoll is to wait for.
    func interests(_ settings: Settings) -> (client: Epoll.Interest, server: Epoll.Interest) {
        var (client, server): (Epoll.Interest, Epoll.Interest) = ([], [])
        if up.hasRoom, !settings.up.isStalled { client.insert(.readable) }
        // Nothing is read that would tell the end of the client.
        if settings.up.isStalled, settings.down.isStalled { client.insert(.ended) }
        if self.client.isFull { client.insert(.writable) }
        if down.hasRoom, !settings.down.isStalled, !isConnecting { server.insert(.readable) }
        if self.server.isFull || isConnecting { server.insert(.writable) }
        return (client, server)
    }
}
