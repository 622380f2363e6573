import GatewayLibC

/// The proxy: one thread that forwards bytes between clients and a server, both on 127.0.0.1.
final class Proxy {
    /// What it has counted since it started.
    struct Statistics {
        var accepted = 0
        var finished = 0
        var reset = 0
        var cut = 0
        var unreachable = 0
        var bytesUp: UInt64 = 0
        var bytesDown: UInt64 = 0
    }

    /// Tokens in epoll that belong to no connection.
    enum Token {
        static let signals: UInt64 = 0
        static let listener: UInt64 = 1
        static let control: UInt64 = 2
        static let input: UInt64 = 3
        /// Connections of clients, whose identifiers count from here.
        static let firstConnection: UInt64 = 8
        /// Connections to the control socket.
        static let command: UInt64 = 1 << 63
    }

    private let target: UInt16
    private let initial: Settings
    private let seed: UInt64
    /// Further ones wait in the kernel's queue.
    private let mostConnections: Int
    let epoll: Epoll
    var listener: Listener
    private(set) var settings: Settings
    private(set) var statistics = Statistics()
    /// Connections since the start or the last reset: each has a random sequence of its own, by its number.
    private var connectionNumber: UInt64 = 0
    private var connections: [UInt64: Connection] = [:]
    private var timers = Timers()
    private var lastID = Token.firstConnection
    private var isAccepting = false
    var commands: [Int32: [UInt8]] = [:]
    private var isOver = false

    init(_ options: ServeOptions) throws(SystemError) {
        target = options.target
        initial = options.settings
        settings = options.settings
        seed = options.seed
        mostConnections = options.connections
        epoll = try Epoll()
        listener = try Listener(port: options.port)
        try apply(options.settings)
    }

    /// How many connections are open.
    var openConnections: Int { connections.count }

    /// Ends ``run(signals:control:)``.
    func end() { isOver = true }

    /// Serves until it is told to end.
    func run(signals: Int32, control: Int32, input: Int32?) {
        epoll.add(signals, Token.signals, .readable)
        if control >= 0 { epoll.add(control, Token.control, .readable) }
        // A file, such as /dev/null, has no more than it has now.
        if let input, !epoll.add(input, Token.input, .readable) { end() }
        while !isOver {
            for event in epoll.wait(milliseconds: timeout()) {
                switch event.token {
                case Token.signals: end()
                case Token.listener: acceptAll()
                case Token.control: acceptCommand(control)
                case Token.input: if hasEnded(input ?? -1) { end() }
                case Token.command...: readCommand(Int32(truncatingIfNeeded: event.token & ~Token.command))
                default: handle(event)
                }
            }
            let now = Clock.now
            while let id = timers.take(now: now) {
                connections[id]?.scheduled = .max
                advance(id)
            }
        }
    }

    private func hasEnded(_ input: Int32) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 256)
        return unsafe read(input, &bytes, bytes.count) == 0
    }

    private func timeout() -> Int32 {
        guard let next = timers.next else { return -1 }
        let now = Clock.now
        return next <= now ? 0 : Int32(min((next - now + 999_999) / 1_000_000, 60_000))
    }

    // MARK: Settings

    /// Changes what happens from now on, to open connections too.
    func apply(_ settings: Settings) throws(SystemError) {
        let old = self.settings.mode
        self.settings = settings
        if settings.mode != old || !isAccepting {
            stopAccepting()
            switch settings.mode {
            case .open, .halfOpen: try listener.listen()
            case .refuse: listener.refuse()
            case .blackHole: try listener.ignore()
            }
            startAccepting()
        }
        for id in Array(connections.keys) { advance(id) }
    }

    /// The settings, the random sequence and the counts of the beginning.
    func reset() throws(SystemError) {
        connectionNumber = 0
        statistics = Statistics()
        try apply(initial)
    }

    private func startAccepting() {
        guard !isAccepting, settings.mode == .open || settings.mode == .halfOpen,
            connections.count < mostConnections
        else { return }
        epoll.add(listener.descriptor, Token.listener, .readable)
        isAccepting = true
    }

    private func stopAccepting() {
        if isAccepting { epoll.remove(listener.descriptor) }
        isAccepting = false
    }

    // MARK: Connections

    private func acceptAll() {
        while isAccepting {
            let descriptor = listener.accept()
            guard descriptor >= 0 else {
                // Without a descriptor left, the next end of a connection starts it again.
                if errno == EMFILE || errno == ENFILE { stopAccepting() }
                return
            }
            statistics.accepted += 1
            lastID += 1
            connectionNumber += 1
            let random = SeededRandom(seed: seed).branch(connectionNumber)
            var fate = random.branch(0)
            let connection = Connection(
                id: lastID, client: Connection.Side(descriptor: descriptor), randomUp: random.branch(1),
                randomDown: random.branch(2), isDoomed: fate.unit() < settings.reset)
            connections[lastID] = connection
            advance(lastID)
            if connections.count >= mostConnections { stopAccepting() }
        }
    }

    private func handle(_ event: Epoll.Event) {
        let id = event.token >> 1
        guard let connection = connections[id] else { return }
        if event.isBroken, !(connection.isConnecting && event.token & 1 == 1) { return close(id, .reset) }
        if event.isEnded, settings.up.isStalled, settings.down.isStalled { return close(id, .finished) }
        if event.isHungUp, !event.isReadable, !event.isWritable {
            // Both sides have ended and nothing is to be done now: epoll would report it again and again.
            return forget(id, isServer: event.token & 1 == 1)
        }
        advance(id)
    }

    private func forget(_ id: UInt64, isServer: Bool) {
        let side: WritableKeyPath<Connection, Connection.Side> = isServer ? \.server : \.client
        guard let found = connections[id]?[keyPath: side], found.interest != nil else { return }
        epoll.remove(found.descriptor)
        connections[id]?[keyPath: side].interest = nil
    }

    /// Does all that is possible now for a connection, and sees to it that it is looked at again.
    private func advance(_ id: UInt64) {
        guard var connection = connections.removeValue(forKey: id) else { return }
        guard !settings.mode.isFrozen else {
            for side in [\Connection.client, \Connection.server]
                as [WritableKeyPath<Connection, Connection.Side>]
            where connection[keyPath: side].interest != nil {
                epoll.remove(connection[keyPath: side].descriptor)
                connection[keyPath: side].interest = nil
            }
            connections[id] = connection
            return
        }
        guard connect(&connection) else {
            statistics.unreachable += 1
            return discard(connection, .reset)
        }
        let now = Clock.now
        let (up, down) = (connection.up.written, connection.down.written)
        let ending = connection.transfer(settings, now: now)
        statistics.bytesUp += connection.up.written - up
        statistics.bytesDown += connection.down.written - down
        if let ending { return discard(connection, ending) }
        let interests = connection.interests(settings)
        register(&connection.client, connection.token(isServer: false), interests.client)
        register(&connection.server, connection.token(isServer: true), interests.server)
        if let due = connection.wakeup(settings, now: now), due < connection.scheduled {
            timers.add(id, due: due)
            connection.scheduled = due
        }
        connections[id] = connection
    }

    /// Whether the server is connected or may still be.
    private func connect(_ connection: inout Connection) -> Bool {
        if connection.server.descriptor < 0 {
            connection.server.descriptor = Sockets.connecting(port: target)
            connection.isConnecting = true
            return connection.server.descriptor >= 0
        }
        guard connection.isConnecting else { return true }
        guard Sockets.error(of: connection.server.descriptor) == 0 else { return false }
        connection.isConnecting = !Sockets.isConnected(connection.server.descriptor)
        return true
    }

    private func register(_ side: inout Connection.Side, _ token: UInt64, _ interest: Epoll.Interest) {
        if side.interest == nil {
            epoll.add(side.descriptor, token, interest)
        } else if side.interest != interest {
            epoll.change(side.descriptor, token, interest)
        }
        side.interest = interest
    }

    private func close(_ id: UInt64, _ ending: Ending) {
        if let connection = connections.removeValue(forKey: id) { discard(connection, ending) }
    }

    /// Closes all connections.
    func closeAll(_ ending: Ending) {
        for id in Array(connections.keys) { close(id, ending) }
    }

    /// Closes the sockets of a connection that is not kept any more.
    private func discard(_ connection: Connection, _ ending: Ending) {
        for side in [connection.client, connection.server] where side.descriptor >= 0 {
            if ending == .reset { Sockets.reset(side.descriptor) } else { Sockets.close(side.descriptor) }
        }
        switch ending {
        case .finished: statistics.finished += 1
        case .reset: statistics.reset += 1
        case .cut: statistics.cut += 1
        }
        startAccepting()
    }
}
