internal import CLibmicrohttpd
import GatewayCore
import Synchronization

/// An HTTP/1.1 server on 127.0.0.1, on libmicrohttpd: a few threads with an epoll set each, and one that accepts.
final class LoopbackServer: Sendable {
    /// Says what to do with a complete request. It runs on a server's thread and must not block.
    typealias Handler = @Sendable (EmbeddedGateway.Request) -> Disposition

    /// What libmicrohttpd's callbacks work on.
    fileprivate final class Core: Sendable {
        let handler: Handler
        let maximumRequestBytes: Int
        let connections = Connections()
        let suspensions = Suspensions()
        let threads = Locked<Set<UInt>>([])

        init(handler: @escaping Handler, maximumRequestBytes: Int) {
            self.handler = handler
            self.maximumRequestBytes = maximumRequestBytes
        }
    }

    /// The daemons. Unchecked: nothing in it is changed after `init`, and libmicrohttpd locks for itself. Safe as
    /// long as nothing is used after `stop`, which the server sees to.
    @safe private struct Daemons: @unchecked Sendable {
        let callbacks: UnsafeMutablePointer<gateway_mhd_callbacks>
        let pointers: [OpaquePointer]

        /// Hands a connection to one of the daemons, each in its turn.
        func add(_ descriptor: Int32, turn: Int) {
            _ = unsafe gateway_mhd_add(pointers[turn % pointers.count], descriptor)
        }

        /// Returns when the daemons' threads have ended.
        func stop() {
            unsafe pointers.forEach { unsafe MHD_stop_daemon($0) }
            unsafe callbacks.deinitialize(count: 1)
            unsafe callbacks.deallocate()
        }
    }

    private let core: Core
    private let daemons: Daemons
    private let acceptor: Acceptor
    private let hasStopped = Locked(false)

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - ports: the ports to listen on; 0 for any free one.
    ///   - threads: how many serve connections.
    init(
        ports: [UInt16], threads: Int, maximumRequestBytes: Int, handler: @escaping Handler
    ) throws(EmbeddedGateway.StartError) {
        let core = Core(handler: handler, maximumRequestBytes: maximumRequestBytes)
        let callbacks = UnsafeMutablePointer<gateway_mhd_callbacks>.allocate(capacity: 1)
        unsafe callbacks.initialize(to: unsafe Self.callbacks(for: core))
        var started: [OpaquePointer] = unsafe []
        for _ in 0..<max(1, threads) {
            // 32 KiB hold the head of a request with the longest token there is.
            guard let daemon = unsafe gateway_mhd_start(callbacks, 65_536, 32 << 10) else { break }
            unsafe started.append(daemon)
        }
        let daemons = unsafe Daemons(callbacks: callbacks, pointers: started)
        guard unsafe started.count == max(1, threads) else {
            daemons.stop()
            throw EmbeddedGateway.StartError("libmicrohttpd could not start.")
        }
        do {
            let next = Atomic(0)
            acceptor = try Acceptor(ports: ports) { descriptor in
                daemons.add(descriptor, turn: next.wrappingAdd(1, ordering: .relaxed).oldValue)
            }
        } catch {
            daemons.stop()
            throw error
        }
        self.core = core
        self.daemons = daemons
    }

    /// The ports, in the order they were asked for.
    var ports: [UInt16] { acceptor.ports }
    /// How many connections were opened so far, are open, and were open at once at most.
    var connectionCounts: (opened: Int, open: Int, peak: Int) { core.connections.counts }
    /// How many requests are set aside.
    var suspendedCount: Int { core.suspensions.count }

    /// Refuses connections to a port from now on, or accepts them again.
    func setListening(_ isListening: Bool, at index: Int) throws(EmbeddedGateway.StartError) {
        try acceptor.setListening(isListening, at: index)
    }

    /// Cuts every open connection.
    func cutConnections() { core.connections.cutAll() }

    /// Closes ports and connections and returns when all threads have ended. Doing it again does nothing. It must
    /// have been called before the server is let go.
    ///
    /// From one of the server's own threads, which cannot wait for itself, it happens behind the caller's back.
    func stop() {
        if core.threads.withLock({ $0.contains(ServerThread.current) }) {
            return ServerThread.detach { self.stop() }
        }
        // Whoever else stops waits here until it is done.
        hasStopped.withLock { hasStopped in
            guard !hasStopped else { return }
            hasStopped = true
            acceptor.stop()
            core.suspensions.stop()
            daemons.stop()
        }
    }
}

// MARK: What libmicrohttpd calls

extension LoopbackServer {
    /// The core lives longer than the daemons: the server holds it, and they end before the server does.
    private static func callbacks(for core: Core) -> gateway_mhd_callbacks {
        unsafe gateway_mhd_callbacks(
            context: Unmanaged.passUnretained(core).toOpaque(),
            begin: { _, connection, target in
                guard let connection = unsafe connection else { return nil }
                let exchange = unsafe ServerExchange(
                    connection: connection,
                    target: unsafe target.map { unsafe String(cString: $0) } ?? "/")
                return unsafe Unmanaged.passRetained(exchange).toOpaque()
            },
            advance: { context, _, state, method, upload, size in
                guard let context = unsafe context, let state = unsafe state else { return 0 }
                let core = unsafe Unmanaged<Core>.fromOpaque(context).takeUnretainedValue()
                let exchange = unsafe Unmanaged<ServerExchange>.fromOpaque(state).takeUnretainedValue()
                if !exchange.hasFields {
                    unsafe exchange.readFields(method: method)
                    return 1
                }
                if size > 0 {
                    if let upload = unsafe upload {
                        unsafe exchange.append(upload, size, limit: core.maximumRequestBytes)
                    }
                    return 1
                }
                return core.advance(exchange) ? 1 : 0
            },
            end: { _, state in
                if let state = unsafe state { unsafe Unmanaged<ServerExchange>.fromOpaque(state).release() }
            },
            connected: { context, descriptor in
                guard let context = unsafe context else { return 0 }
                let core = unsafe Unmanaged<Core>.fromOpaque(context).takeUnretainedValue()
                core.threads.withLock { _ = $0.insert(ServerThread.current) }
                return UInt(core.connections.open(descriptor))
            },
            disconnected: { context, identifier in
                guard let context = unsafe context else { return }
                let core = unsafe Unmanaged<Core>.fromOpaque(context).takeUnretainedValue()
                core.connections.close(UInt64(identifier))
            })
    }
}

extension LoopbackServer.Core {
    /// Goes on with a request whose content is complete.
    ///
    /// - Returns: `false` closes the connection.
    fileprivate func advance(_ exchange: ServerExchange) -> Bool {
        let next = exchange.next
        exchange.next = nil
        let disposition: Disposition
        if let next {
            disposition = next()
        } else if exchange.isTooLarge {
            disposition = .reply(.status(413))
        } else {
            disposition = handler(exchange.request())
        }
        switch disposition {
        case .reply(let reply): return exchange.queue(reply)
        case .torn(let reply, let bytes): return exchange.queue(reply, sending: bytes)
        case .close(let reset):
            if reset { connections.reset(exchange.connectionID) }
            return false
        case .wait(let start):
            guard let resumption = suspensions.suspend(exchange) else { return false }
            start(resumption)
            return true
        }
    }
}
