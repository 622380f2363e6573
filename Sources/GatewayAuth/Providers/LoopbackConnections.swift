import GatewayCore
private import GatewayLibC

/// The connections of browsers to a ``LoopbackReceiver``, all served by one thread.
///
/// Browsers open connections that they may never use, and any page in a browser can open more: no connection
/// waits for another. Beyond the limit, the connection that has been idle longest is closed.
struct LoopbackConnections {
    /// The function that answers a request whose head is complete or too large.
    typealias Responder = (_ descriptor: Int32, RedirectRequest, RedirectRequest.Progress) -> Void

    /// The maximum number of connections. Browsers open up to six per host.
    static let maximumCount = 64
    /// The maximum number of bytes of a request that are read and ignored after its response.
    private static let ignoredBytes = 1 << 20

    private struct Connection {
        let descriptor: Int32
        var request = RedirectRequest()
        /// The number of bytes that were ignored after the response; `nil` before it.
        var ignored: Int?
    }

    /// In the order of the last activity, the oldest first.
    private var connections: [Connection] = []

    /// Whether a response was sent to a request that was not read completely.
    var isDraining: Bool { connections.contains { $0.ignored != nil } }

    /// Waits for events, and handles them.
    ///
    /// - Parameters:
    ///   - listeners: the listening sockets.
    ///   - milliseconds: the maximum wait; -1 for no limit.
    ///   - respond: responds to requests.
    mutating func serve(
        _ listeners: [Int32], within milliseconds: Int32, _ respond: Responder
    ) {
        let open = connections.map(\.descriptor)
        var entries = (open + listeners).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard unsafe poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return }
        let ready = Set(entries.filter { $0.revents != 0 }.map(\.fd))
        // Before a new connection may replace one of them.
        for descriptor in open where ready.contains(descriptor) { receive(descriptor, respond) }
        for listener in listeners where ready.contains(listener) { admit(listener, respond) }
    }

    /// Closes all connections.
    mutating func closeAll() {
        for connection in connections { close(connection.descriptor) }
        connections = []
    }

    /// Accepts one connection.
    private mutating func admit(_ listener: Int32, _ respond: Responder) {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else {
            // The listener remains ready until a descriptor is available.
            guard NetworkError.isDescriptorShortage(errno) else { return }
            if connections.isEmpty { usleep(10_000) } else { closeOne() }
            return
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        if connections.count >= Self.maximumCount { closeOne() }
        connections.append(Connection(descriptor: descriptor))
        // The request has often arrived already.
        receive(descriptor, respond)
    }

    private mutating func closeOne() {
        let index = connections.firstIndex { $0.ignored != nil } ?? connections.startIndex
        close(connections.remove(at: index).descriptor)
    }

    /// Reads the received bytes of a connection, and closes it if it has ended or was answered.
    private mutating func receive(_ descriptor: Int32, _ respond: Responder) {
        guard let index = connections.firstIndex(where: { $0.descriptor == descriptor }) else { return }
        var connection = connections.remove(at: index)
        if Self.isOpen(&connection, respond) { connections.append(connection) } else { close(descriptor) }
    }

    private static func isOpen(_ connection: inout Connection, _ respond: Responder) -> Bool {
        var part = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe recv(connection.descriptor, &part, part.count, Int32(MSG_DONTWAIT))
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            if count == 0 { return false }
            if let ignored = connection.ignored {
                // Closing a connection with unread bytes resets it, and the response may be lost.
                connection.ignored = ignored + count
                guard ignored + count <= ignoredBytes else { return false }
                continue
            }
            let progress = connection.request.append(part[..<count])
            guard progress != .incomplete else { continue }
            respond(connection.descriptor, connection.request, progress)
            guard progress == .tooLarge else { return false }
            connection.ignored = 0
        }
    }
}
