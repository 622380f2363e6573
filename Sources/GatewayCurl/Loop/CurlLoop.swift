import CLibcurl
import GatewayCore
private import GatewayLibC

/// The event loop of a transport: one thread, one epoll, and one or more multi handles. It processes the
/// commands of the inbox and resumes the callers. Created and used on the loop's thread only; it has no
/// locks.
///
/// A turn: commands → libcurl's timers → ended transfers → own timers → resume the callers in one batch →
/// sleep → sockets.
///
/// After a process was suspended, deadlines may have passed and responses may have arrived: requests that are not sent
/// yet time out before sockets are read, all others after.
@safe
final class CurlLoop {
    /// In nanoseconds: a turn that takes 100 ms longer than expected means that the thread did not run.
    private static let standstill: Int64 = 100_000_000

    let settings: LoopSettings
    let sockets: EpollSet
    let fieldCache = FieldCache()
    /// The watchdog of HTTP/2 connections; `nil` without HTTP/2.
    let watchdog: LoopWatchdog?
    /// Keeps TLS sessions for all handles of this loop.
    let share: UnsafeMutableRawPointer
    /// The loop's time, read once a turn.
    private(set) var now: Int64
    /// Wakes the loop if its clock is injected.
    private var alarm: LoopAlarm?
    /// The maximum age of cached DNS results; `nil` if they were never discarded.
    var names: NameCacheAge?

    let inbox: Inbox
    private var commands: [LoopCommand] = []
    private var expired: [Int] = []
    /// The multi handles; at least one.
    var pools: [CurlPool] = []
    /// Pools before this one are full.
    var firstPoolWithRoom = 0

    var wheel = TimerWheel()
    /// The memory of large bodies; `nil` before the first one.
    var bodies: BodyRecycler?
    /// The transfers of the loop, by index.
    var transfers: [Transfer?] = []
    var freeIndices: [Int] = []
    var idleHandles: [EasyHandle] = []
    /// The certificate files of the TLS configuration.
    var trustFiles: TrustFiles
    /// The origins of the open sockets.
    var socketOrigins: [Int32: Origin] = [:]
    /// The handles whose content is delimited by the end of the TLS session, by the session's address.
    var sessions: [UInt: EasyHandle] = [:]
    /// The handles that have sent a request over HTTP/2 in this turn; their debug texts are not enabled yet.
    var sentNow: [EasyHandle] = []
    /// The handles that have failed to connect to an address in this turn.
    var unconnected: [EasyHandle] = []
    /// The waiters to resume at the end of the turn. Their transfers have been released: memory is freed on the thread
    /// that allocated it.
    var resumptions: [Transfer.Waiter] = unsafe []
    /// The transfers whose waiting readers have content from this turn.
    var deliveries: [Transfer] = []

    /// Creates a loop on the thread that will run it.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/overloaded`` if a system resource is not available.
    init(inbox: Inbox, settings: LoopSettings) throws(NetworkError) {
        guard CurlLibrary.initialise() else {
            throw DescriptorShortage.isNow
                ? .descriptorShortage(phase: .queue) : Self.notStarted("libcurl could not be initialised")
        }
        guard inbox.wakeup.open(), let sockets = EpollSet() else { throw Self.notStarted() }
        watchdog = settings.speaksHTTP2 ? LoopWatchdog() : nil
        if settings.speaksHTTP2, watchdog == nil { throw Self.notStarted() }
        guard let share = unsafe curl_share_init() else {
            watchdog?.stop()
            throw Self.notStarted("libcurl has no memory")
        }
        self.inbox = inbox
        self.settings = settings
        now = settings.clock.now
        alarm = LoopAlarm(settings.clock, inbox: inbox)
        trustFiles = TrustFiles(settings.configuration.trustFiles)
        self.sockets = sockets
        unsafe self.share = share
        unsafe gateway_share_set(share, CURL_LOCK_DATA_SSL_SESSION)
        unsafe gateway_share_set(share, CURL_LOCK_DATA_DNS)
        let isWatched = sockets.watch(inbox.wakeup.descriptor)
        guard isWatched, poolWithRoom() != nil else {
            let error = Self.notStarted()
            for pool in pools { pool.close() }
            watchdog?.stop()
            unsafe curl_share_cleanup(share)
            throw error
        }
    }

    /// The error of a loop that could not start: the given reason, or the message of `errno`.
    static func notStarted(_ reason: String? = nil) -> NetworkError {
        let code = errno
        if reason == nil, NetworkError.isDescriptorShortage(code) {
            return .descriptorShortage(phase: .queue)
        }
        return NetworkError(
            .overloaded,
            "The transport's thread could not be started: \(reason ?? "errno \(code)"). The next request tries again.",
            phase: .queue)
    }

    /// Runs until the inbox is closed, then ends all transfers.
    func run() {
        // The wheel begins at zero: it is advanced to the current time.
        wheel.advance(to: LoopClock.tick(of: now), into: &expired)
        while true {
            let isClosing = inbox.take(into: &commands)
            readClock(expected: now)
            for command in commands { handle(command) }
            commands.removeAll(keepingCapacity: true)
            if isClosing { break }
            runCurlTimers()
            collectEnded()
            expireTimers()
            resumeAll()
            sleep()
        }
        shutDown()
    }

    private func handle(_ command: LoopCommand) {
        switch command {
        case .submit(let transfer): admit(transfer)
        case .cancel(let transfer): giveUp(transfer)
        case .resumeUpload(let transfer): resumeUpload(transfer)
        case .resumeDownload(let transfer): resumeDownload(transfer)
        case .dropIdleConnections: dropIdleConnections()
        case .ask(let question): question.answer(self)
        case .wake: break
        }
    }

    /// The connections, the exchanges, and the requests that wait.
    var statistics: TransportStatistics {
        var statistics = TransportStatistics()
        for (origin, count) in inbox.slots.waiting {
            statistics.origins[origin, default: .init()].waiting = count
        }
        for case let transfer? in transfers {
            statistics.origins[transfer.request.origin, default: .init()].active += 1
        }
        for origin in socketOrigins.values { statistics.origins[origin, default: .init()].connections += 1 }
        return statistics
    }

    /// The stages of the exchanges and of the waiting requests, for tests.
    var stages: [TransferTiming.Stage] {
        transfers.compactMap { transfer in unsafe transfer?.onLoop.timing.stage }
            + inbox.slots.waiting.values.flatMap { Array(repeating: .queued, count: $0) }
    }

    private func runCurlTimers() {
        for pool in pools { pool.runTimers(now: systemNow) }
    }

    private func expireTimers() {
        wheel.advance(to: UInt64(max(0, now)) / 1_000_000, into: &expired)
        inbox.slots.expire(at: now)
        bodies?.expire(at: now)
        closeIdlePools()
        // A response that has already arrived is read first.
        if expired.contains(where: { awaitsResponse($0) }) { turnSockets(nanoseconds: 0) }
        for index in expired { expire(index) }
        expired.removeAll(keepingCapacity: true)
    }

    private func resumeAll() {
        deliverAll()
        for index in unsafe resumptions.indices { unsafe resumptions[index].resume() }
        unsafe resumptions.removeAll(keepingCapacity: true)
    }

    private func sleep() {
        let due = setDue()
        guard inbox.prepareToSleep() else { return turnSockets(nanoseconds: 0) }
        turnSockets(nanoseconds: due < LoopClock.never ? max(0, due - LoopClock.systemNow) : -1)
    }

    /// Reads the clock. If the thread did not run for a while, unsent requests that have timed out are ended before
    /// libcurl sends them.
    ///
    /// - Parameter expected: when the thread should have continued at the latest.
    private func readClock(expected: Int64) {
        now = settings.clock.now
        guard now > expected + Self.standstill else { return }
        inbox.slots.expire(at: now)
        expireUnsent()
    }

    /// The time of libcurl's timers: the system's monotonic clock, even if the clock is injected.
    var systemNow: Int64 { alarm == nil ? now : LoopClock.systemNow }

    /// Waits for socket events and processes them.
    ///
    /// - Parameter nanoseconds: the maximum wait; negative for no limit.
    private func turnSockets(nanoseconds: Int64) {
        let expected =
            nanoseconds == 0 ? now : alarm?.due ?? (nanoseconds < 0 ? LoopClock.never : now + nanoseconds)
        let count = sockets.wait(nanoseconds: nanoseconds)
        readClock(expected: expected)
        for index in 0..<count {
            guard let event = sockets.event(index, except: inbox.wakeup.descriptor) else { continue }
            if event.descriptor == inbox.wakeup.descriptor {
                inbox.wakeup.acknowledge()
                continue
            }
            if settings.speaksHTTP2, sockets.restsFromWriting(event) { continue }
            pools[event.pool].act(on: event)
        }
        collectEnded()
    }

    /// The next time, on the system's clock, at which the loop must run without a socket event. If the clock is
    /// injected, the alarm is set for the loop's own timers.
    private func setDue() -> Int64 {
        let libcurls = pools.reduce(LoopClock.never) { min($0, $1.due) }
        guard alarm != nil else { return min(ownDue, libcurls) }
        alarm?.set(ownDue)
        return libcurls
    }

    private var ownDue: Int64 {
        var due = min(inbox.slots.setAlarm(), idlePoolExpiry)
        if let tick = wheel.nextTick { due = min(due, Int64(tick) * 1_000_000) }
        if let expiry = bodies?.expiry { due = min(due, expiry) }
        return due
    }

    private func shutDown() {
        alarm?.set(LoopClock.never)
        for index in transfers.indices {
            guard let transfer = transfers[index] else { continue }
            let handle = unsafe transfer.onLoop.handle
            finish(
                transfer,
                .failure(
                    handle?.error(.closed, "The transport was shut down during the exchange.")
                        ?? Transfer.closed(transfer.request.origin)))
        }
        idleHandles = []
        for pool in pools { pool.close() }
        pools = []
        // libcurl cannot release the share while a handle uses it.
        unconnected = []
        sentNow = []
        watchdog?.stop()
        unsafe curl_share_cleanup(share)
        resumeAll()
    }
}
