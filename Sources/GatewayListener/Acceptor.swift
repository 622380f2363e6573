import GatewayCore
private import GatewayLibC

/// Accepts connections on a separate thread and passes each one to a function.
///
/// Why not libmicrohttpd: it cannot refuse connections temporarily, and it distributes connections to its threads by
/// descriptor number, which is uneven if the client is in the same process.
final class Acceptor: Sendable {
    private struct State {
        var listeners: [ListeningSocket]
        var isStopping = false
    }

    /// The addresses with their ports, in the order of the request.
    let addresses: [HTTPListener.Address]

    private let state: Locked<State>
    private let wakeup: Wakeup
    private let join = Locked<(@Sendable () -> Void)?>(nil)

    /// Opens sockets and starts to accept connections.
    ///
    /// - Parameters:
    ///   - addresses: the addresses.
    ///   - accepted: takes over a connected socket.
    init(
        addresses requested: [HTTPListener.Address],
        accepted: @escaping @Sendable (_ descriptor: Int32) -> Void
    ) throws(HTTPListener.StartError) {
        var listeners: [ListeningSocket] = []
        for address in requested {
            let listener = try ListeningSocket(address)
            try listener.open()
            listeners.append(listener)
        }
        wakeup = try Wakeup()
        addresses = listeners.map(\.address)
        state = Locked(State(listeners: listeners))
        // The thread holds the acceptor until stop().
        guard let join = BlockingThread.startJoinable({ self.run(accepted) }) else {
            throw HTTPListener.StartError("No thread could be started.")
        }
        self.join.withLock { $0 = join }
    }

    /// Starts or stops refusing connections to an address.
    func setListening(_ isListening: Bool, at index: Int) throws(HTTPListener.StartError) {
        let result = state.withLock { state -> Result<Void, HTTPListener.StartError> in
            guard !state.isStopping else { return .success(()) }
            guard isListening else { return .success(state.listeners[index].refuse()) }
            do throws(HTTPListener.StartError) {
                return .success(try state.listeners[index].open())
            } catch { return .failure(error) }
        }
        wakeup.wake()
        try result.get()
    }

    /// Closes the sockets and waits until the thread has ended.
    func stop() {
        state.withLock { state in
            state.isStopping = true
            for listener in state.listeners { listener.refuse() }
        }
        wakeup.wake()
        let join = join.withLock { join in
            defer { join = nil }
            return join
        }
        join?()
        state.withLock { $0.listeners = [] }
    }

    private func run(_ accepted: (Int32) -> Void) {
        while true {
            let listening = state.withLock { state -> [(index: Int, descriptor: Int32)]? in
                state.isStopping
                    ? nil
                    : state.listeners.enumerated().compactMap { index, listener in
                        listener.descriptor.map { (index, $0) }
                    }
            }
            guard let listening else { return }
            var polled = [pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)]
            polled += listening.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            _ = unsafe poll(&polled, nfds_t(polled.count), -1)
            if polled[0].revents != 0 { wakeup.drain() }
            for (position, listener) in listening.enumerated() where polled[position + 1].revents != 0 {
                acceptAll(listener.index, accepted)
            }
        }
    }

    private func acceptAll(_ index: Int, _ accepted: (Int32) -> Void) {
        while true {
            // Under the lock, so that a descriptor that was closed meanwhile is never used.
            let (descriptor, code) = state.withLock { state -> (Int32, Int32) in
                guard !state.isStopping, let listening = state.listeners[index].descriptor else {
                    return (-1, 0)
                }
                // libmicrohttpd sets the flags of the socket.
                let descriptor = accept(listening, nil, nil)
                return (descriptor, errno)
            }
            guard descriptor >= 0 else {
                // No descriptors: polling again immediately would be a busy loop.
                if NetworkError.isDescriptorShortage(code) { usleep(10_000) }
                return
            }
            accepted(descriptor)
        }
    }
}
