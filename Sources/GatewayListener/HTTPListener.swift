internal import CLibmicrohttpd
import GatewayCore
import Synchronization

/// The HTTP/1.1 server of this package: on 127.0.0.1 or a Unix domain socket, with libmicrohttpd.
///
/// It has some loops, each with a thread and an epoll set, and one accepting thread. It does not check hosts, tokens or
/// origins of browsers; the handler does.
package final class HTTPListener: Sendable {
    /// Decides about a complete request. It runs on a thread of the server and must not block.
    package typealias Handler = @Sendable (Request) -> Disposition

    /// The state that the loops share.
    fileprivate final class Core: Sendable {
        let handler: Handler
        let maximumRequestBytes: Int
        let connections: Connections
        let suspensions = Suspensions()
        /// The number of requests that have begun and not ended.
        let requests = Locked(0)
        let threads = Locked<Set<UInt>>([])

        init(_ configuration: Configuration, handler: @escaping Handler) {
            self.handler = handler
            maximumRequestBytes = configuration.maximumRequestBytes
            connections = Connections(configuration)
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

    /// Starts a listener.
    package init(
        _ configuration: Configuration, handler: @escaping Handler
    ) throws(StartError) {
        let core = Core(configuration, handler: handler)
        let limit = configuration.replacesConnections ? configuration.connectionsPerThread : nil
        var contexts: [LoopContext] = []
        var started: [ServerLoop] = []
        do {
            for _ in 0..<max(1, configuration.threads) {
                let context = LoopContext(core: core, queue: try LoopQueue())
                contexts.append(context)
                started.append(
                    try unsafe ServerLoop(
                        queue: context.queue, configuration: configuration,
                        callbacks: Self.callbacks(for: context),
                        makeRoom: { limit.map { core.connections.makeRoom(limit: $0) } ?? false },
                        closeLate: { core.connections.closeHeadless() }))
            }
        } catch {
            for loop in started { loop.stop() }
            throw error
        }
        let loops = started
        do {
            let next = Atomic(0)
            acceptor = try Acceptor(addresses: configuration.addresses) { descriptor in
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

    /// The addresses with their ports, in the order of the configuration.
    package var addresses: [Address] { acceptor.addresses }
    /// The total number of connections, the number of open ones, and the maximum number of simultaneous ones.
    package var connectionCounts: (opened: Int, open: Int, peak: Int) { core.connections.counts }

    /// The number of requests that have no complete response yet.
    package var requestsInProgress: Int { core.requests.withLock { $0 } }

    /// Starts or stops refusing connections to an address.
    package func setListening(_ isListening: Bool, at index: Int) throws(StartError) {
        try acceptor.setListening(isListening, at: index)
    }

    /// Closes all open connections.
    package func cutConnections() { core.connections.cutAll() }

    /// Closes sockets and connections and waits until all threads have ended. Further calls have no effect. It must be
    /// called before the listener is released.
    ///
    /// On one of the listener's own threads, which cannot wait for itself, it returns immediately and stops in the
    /// background.
    package func stop() {
        if core.threads.withLock({ $0.contains(ServerThread.current) }) {
            return ServerThread.detach { self.stop() }
        }
        // Concurrent calls wait here until the listener has stopped.
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

extension HTTPListener {
    /// The context is valid longer than its loop, because the listener owns it and the loop ends before the listener does.
    private static func callbacks(for context: LoopContext) -> gateway_mhd_callbacks {
        unsafe gateway_mhd_callbacks(
            context: Unmanaged.passUnretained(context).toOpaque(),
            begin: { context, connection, target in
                guard let context = unsafe context, let connection = unsafe connection else { return nil }
                let loop = unsafe Unmanaged<LoopContext>.fromOpaque(context).takeUnretainedValue()
                loop.core.requests.withLock { $0 += 1 }
                let exchange = unsafe ServerExchange(
                    connection: connection, queue: loop.queue,
                    target: unsafe target.map { unsafe String(cString: $0) } ?? "/")
                return unsafe Unmanaged.passRetained(exchange).toOpaque()
            },
            advance: { context, _, state, method, upload, size in
                guard let context = unsafe context, let state = unsafe state else { return 0 }
                let core = unsafe Unmanaged<LoopContext>.fromOpaque(context).takeUnretainedValue().core
                let exchange = unsafe Unmanaged<ServerExchange>.fromOpaque(state).takeUnretainedValue()
                if !exchange.hasFields {
                    unsafe exchange.readFields(method: method)
                    core.connections.note(exchange.connectionID, hasHeader: true)
                    guard core.maximumRequestBytes == 0, exchange.announcesContent else { return 1 }
                    // The rest of the connection is not read.
                    return exchange.queue(HTTPListener.Reply(status: 413)) ? 1 : 0
                }
                if size > 0 {
                    if let upload = unsafe upload {
                        unsafe exchange.append(upload, size, limit: core.maximumRequestBytes)
                    }
                    return 1
                }
                return core.advance(exchange) ? 1 : 0
            },
            end: { context, state in
                guard let context = unsafe context, let state = unsafe state else { return }
                let exchange = unsafe Unmanaged<ServerExchange>.fromOpaque(state).takeRetainedValue()
                let core = unsafe Unmanaged<LoopContext>.fromOpaque(context).takeUnretainedValue().core
                if exchange.isStream { core.connections.hold(exchange.connectionID, false) }
                core.connections.note(exchange.connectionID, hasHeader: false)
                core.requests.withLock { $0 -= 1 }
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

extension HTTPListener.Core {
    /// Continues with a complete request.
    ///
    /// - Returns: `false` to close the connection.
    fileprivate func advance(_ exchange: ServerExchange) -> Bool {
        let disposition: HTTPListener.Disposition =
            switch exchange.takeContinuation() {
            case .disposition(let next): next()
            case .frame, .stopped: .close(reset: false)
            case nil:
                exchange.isTooLarge
                    ? .reply(HTTPListener.Reply(status: 413)) : handler(exchange.request())
            }
        switch disposition {
        case .reply(let reply): return exchange.queue(reply)
        case .stream(let reply, let next):
            exchange.isStream = true
            connections.hold(exchange.connectionID, true)
            return exchange.queue(
                reply, FrameStream(exchange, suspensions, first: reply.body, next: next))
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
