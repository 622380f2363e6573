internal import CLibmicrohttpd
import GatewayCore
import Synchronization

/// An HTTP/1.1 server on 127.0.0.1 with libmicrohttpd: some loops, each with a thread and an epoll set, and one
/// accepting thread.
final class LoopbackServer: Sendable {
    /// Decides about a complete request. It runs on a thread of the server and must not block.
    typealias Handler = @Sendable (EmbeddedGateway.Request) -> Disposition

    /// The state that the loops share.
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

    /// The context of the callbacks of one loop.
    fileprivate final class LoopContext: Sendable {
        let core: Core
        let queue: LoopQueue

        init(core: Core, queue: LoopQueue) {
            self.core = core
            self.queue = queue
        }
    }

    private let core: Core
    /// Kept alive for the callbacks of the loops.
    private let contexts: [LoopContext]
    private let loops: [ServerLoop]
    private let acceptor: Acceptor
    private let hasStopped = Locked(false)

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - ports: the ports to listen on; 0 for any free one.
    ///   - threads: the number of threads for connections.
    init(
        ports: [UInt16], threads: Int, maximumRequestBytes: Int, handler: @escaping Handler
    ) throws(EmbeddedGateway.StartError) {
        let core = Core(handler: handler, maximumRequestBytes: maximumRequestBytes)
        var contexts: [LoopContext] = []
        var started: [ServerLoop] = []
        do {
            for _ in 0..<max(1, threads) {
                let context = LoopContext(core: core, queue: try LoopQueue())
                contexts.append(context)
                started.append(
                    try unsafe ServerLoop(queue: context.queue, callbacks: Self.callbacks(for: context)))
            }
        } catch {
            for loop in started { loop.stop() }
            throw error
        }
        let loops = started
        do {
            let next = Atomic(0)
            acceptor = try Acceptor(ports: ports) { descriptor in
                let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
                loops[turn % loops.count].queue.add(descriptor)
            }
        } catch {
            for loop in loops { loop.stop() }
            throw error
        }
        self.core = core
        self.contexts = contexts
        self.loops = loops
    }

    /// The ports, in the order of the request.
    var ports: [UInt16] { acceptor.ports }
    /// The total number of connections, the number of open ones, and the maximum number of simultaneous ones.
    var connectionCounts: (opened: Int, open: Int, peak: Int) { core.connections.counts }

    /// Starts or stops refusing connections to a port.
    func setListening(_ isListening: Bool, at index: Int) throws(EmbeddedGateway.StartError) {
        try acceptor.setListening(isListening, at: index)
    }

    /// Closes all open connections.
    func cutConnections() { core.connections.cutAll() }

    /// Closes ports and connections and waits until all threads have ended. Further calls have no effect. It must be
    /// called before the server is released.
    ///
    /// On one of the server's own threads, which cannot wait for itself, it returns immediately and stops in the
    /// background.
    func stop() {
        if core.threads.withLock({ $0.contains(ServerThread.current) }) {
            return ServerThread.detach { self.stop() }
        }
        // Concurrent calls wait here until the server has stopped.
        hasStopped.withLock { hasStopped in
            guard !hasStopped else { return }
            hasStopped = true
            acceptor.stop()
            core.suspensions.stop()
            for loop in loops { loop.stop() }
        }
    }
}

// MARK: Callbacks of libmicrohttpd

extension LoopbackServer {
    /// The context is valid longer than its loop, because the server owns it and the loop ends before the server does.
    private static func callbacks(for context: LoopContext) -> gateway_mhd_callbacks {
        unsafe gateway_mhd_callbacks(
            context: Unmanaged.passUnretained(context).toOpaque(),
            begin: { context, connection, target in
                guard let context = unsafe context, let connection = unsafe connection else { return nil }
                let queue = unsafe Unmanaged<LoopContext>.fromOpaque(context).takeUnretainedValue().queue
                let exchange = unsafe ServerExchange(
                    connection: connection, queue: queue,
                    target: unsafe target.map { unsafe String(cString: $0) } ?? "/")
                return unsafe Unmanaged.passRetained(exchange).toOpaque()
            },
            advance: { context, _, state, method, upload, size in
                guard let context = unsafe context, let state = unsafe state else { return 0 }
                let core = unsafe Unmanaged<LoopContext>.fromOpaque(context).takeUnretainedValue().core
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
                let core = unsafe Unmanaged<LoopContext>.fromOpaque(context).takeUnretainedValue().core
                core.threads.withLock { _ = $0.insert(ServerThread.current) }
                return UInt(core.connections.open(descriptor))
            },
            disconnected: { context, identifier in
                guard let context = unsafe context else { return }
                let core = unsafe Unmanaged<LoopContext>.fromOpaque(context).takeUnretainedValue().core
                core.connections.close(UInt64(identifier))
            })
    }
}

extension LoopbackServer.Core {
    /// Continues with a complete request.
    ///
    /// - Returns: `false` to close the connection.
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
