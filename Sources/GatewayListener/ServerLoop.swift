internal import CLibmicrohttpd
internal import GatewayCore
private import GatewayLibC

/// One libmicrohttpd daemon and the thread that runs it.
///
/// Why our own thread: the thread of libmicrohttpd 0.9.75 reads events in batches of 128, and after a full batch it
/// waits without limit for the next one before it handles the full one.
///
/// `@unchecked`: nothing changes after `init`. The daemon is used only on the loop's thread, and after the end of that
/// thread by ``stop()``.
@safe final class ServerLoop: @unchecked Sendable {
    let queue: LoopQueue
    private let daemon: OpaquePointer
    private let callbacks: UnsafeMutablePointer<gateway_mhd_callbacks>
    private let join: @Sendable () -> Void

    /// Starts a daemon and its thread.
    ///
    /// - Parameters:
    ///   - callbacks: called by libmicrohttpd on the loop's thread and in ``stop()``.
    ///   - makeRoom: called before a connection is added; whether it has shut down another one.
    ///   - closeLate: called before each wait for events: shuts down connections that take too long.
    init(
        queue: LoopQueue, configuration: HTTPListener.Configuration, callbacks: gateway_mhd_callbacks,
        makeRoom: @escaping @Sendable () -> Bool, closeLate: @escaping @Sendable () -> Void
    ) throws(HTTPListener.StartError) {
        let stored = UnsafeMutablePointer<gateway_mhd_callbacks>.allocate(capacity: 1)
        unsafe stored.initialize(to: unsafe callbacks)
        // 32 KiB are sufficient for the header of a request with the longest supported token.
        guard
            let daemon = unsafe gateway_mhd_start(
                stored, UInt32(clamping: max(1, configuration.connectionsPerThread)), 32 << 10,
                UInt32(clamping: configuration.idleLimit.map { max(1, $0.wholeSeconds) } ?? 0))
        else {
            let code = errno
            unsafe stored.deallocate()
            throw HTTPListener.StartError("libmicrohttpd could not start", code: code)
        }
        let runner = unsafe Runner(queue: queue, daemon: daemon, makeRoom: makeRoom, closeLate: closeLate)
        guard let join = BlockingThread.startJoinable({ runner.run() }) else {
            unsafe MHD_stop_daemon(daemon)
            unsafe stored.deallocate()
            throw HTTPListener.StartError("No thread could be started.")
        }
        self.queue = queue
        self.join = join
        unsafe self.daemon = unsafe daemon
        unsafe self.callbacks = unsafe stored
    }

    /// Closes the connections and waits until the thread has ended. No request may be suspended. Must be called once,
    /// from another thread.
    func stop() {
        queue.finish()
        join()
        unsafe MHD_stop_daemon(daemon)
        unsafe callbacks.deinitialize(count: 1)
        unsafe callbacks.deallocate()
    }

    /// The work of the thread. `@unchecked`: no other thread uses the daemon.
    @safe private struct Runner: @unchecked Sendable {
        let queue: LoopQueue
        let daemon: OpaquePointer
        let makeRoom: @Sendable () -> Bool
        let closeLate: @Sendable () -> Void

        func run() {
            let events = unsafe gateway_mhd_event_descriptor(daemon)
            while true {
                let work = queue.take()
                for descriptor in work.accepted {
                    // The daemon closes what was shut down before it takes another one.
                    if makeRoom() { _ = unsafe MHD_run(daemon) }
                    _ = unsafe gateway_mhd_add(daemon, descriptor)
                }
                for exchange in work.resumed { unsafe MHD_resume_connection(exchange.connection) }
                closeLate()
                _ = unsafe MHD_run(daemon)
                if work.isLast { return }
                var polled = [
                    pollfd(fd: queue.descriptor, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: events, events: Int16(POLLIN), revents: 0),
                ]
                _ = unsafe poll(&polled, nfds_t(polled.count), unsafe gateway_mhd_timeout(daemon))
            }
        }
    }
}
