import GatewayLibC

/// The port that clients connect to.
///
/// A second socket stays bound to the port without listening, so that no other process gets it while connections are
/// refused.
struct Listener {
    let port: UInt16
    private let reservation: Int32
    /// The listening socket; -1 while connections are refused.
    private(set) var descriptor: Int32 = -1
    /// Connections of our own that fill the queue of the black hole, and their ports.
    private var fillers: [Int32] = []
    private var fillerPorts: Set<UInt16> = []

    /// - Parameter port: 0 for any free one.
    init(port: UInt16) throws(SystemError) {
        reservation = try Sockets.bound(port: port)
        self.port = Sockets.port(of: reservation)
        try listen()
    }

    /// Accepts connections.
    mutating func listen() throws(SystemError) {
        if descriptor < 0 { descriptor = try Sockets.bound(port: port) }
        discardFillers()
        guard GatewayLibC.listen(descriptor, 4096) == 0 else {
            throw SystemError("127.0.0.1:\(port) does not listen")
        }
    }

    /// Refuses connections.
    mutating func refuse() {
        discardFillers()
        if descriptor >= 0 { Sockets.close(descriptor) }
        descriptor = -1
    }

    /// Lets attempts to connect go unanswered: with a full queue of connections that nobody accepts, the kernel drops the
    /// packets of further ones.
    mutating func ignore() throws(SystemError) {
        try listen()
        _ = GatewayLibC.listen(descriptor, 0)
        for _ in 0..<4 {
            let filler = Sockets.connecting(port: port)
            guard filler >= 0 else { break }
            fillers.append(filler)
            fillerPorts.insert(Sockets.port(of: filler))
        }
    }

    private mutating func discardFillers() {
        for filler in fillers { Sockets.close(filler) }
        fillers = []
    }

    /// The next connection of a client, or -1.
    mutating func accept() -> Int32 {
        while true {
            let (accepted, port) = Sockets.accepted(from: descriptor)
            guard accepted >= 0, fillerPorts.remove(port) != nil else { return accepted }
            Sockets.close(accepted)
        }
    }
}
