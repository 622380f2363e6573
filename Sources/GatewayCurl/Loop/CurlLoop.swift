import CLibcurl
import GatewayCore

/// One thread, one epoll, as many multi handles as it takes: everything between the inbox and the resumed callers.
/// Made, used and freed on the loop's thread; nothing here is locked.
///
/// A turn: commands → libcurl's timers → what has ended → our timers → resume the callers in one batch → sleep →
/// sockets.
@safe
final class CurlLoop {
    let settings: LoopSettings
    let sockets: EpollSet
    let fieldCache = FieldCache()
    /// Keeps TLS sessions for all handles of this loop.
    let share: UnsafeMutableRawPointer
    /// The loop's time, read once a turn.
    private(set) var now = LoopClock.now

    private let inbox: Inbox
    private var commands: [LoopCommand] = []
    private var expired: [Int] = []
    /// The multi handles; one at least.
    var pools: [CurlPool] = []
    /// Pools before this one are full.
    var firstPoolWithRoom = 0

    var wheel = TimerWheel()
    /// The memory of large bodies.
    var bodies = BodyRecycler()
    var queue: AdmissionQueue
    /// The transfers the loop has, by index.
    var transfers: [Transfer?] = []
    var freeIndices: [Int] = []
    var idleHandles: [EasyHandle] = []
    var runningCount = 0
    /// Whom to resume at the end of the turn. Nothing of theirs is held here any more: what was made on their
    /// threads is freed there.
    var resumptions: [Transfer.Waiter] = unsafe []
    /// The transfers whose readers wait for what came in this turn.
    var deliveries: [Transfer] = []

    /// `nil` where the system or libcurl lacks what is needed.
    init?(inbox: Inbox, settings: LoopSettings) {
        guard CurlLibrary.isUsable, inbox.eventDescriptor >= 0, let sockets = EpollSet(),
            let share = unsafe curl_share_init()
        else { return nil }
        self.inbox = inbox
        self.settings = settings
        self.sockets = sockets
        unsafe self.share = share
        queue = AdmissionQueue(
            perOrigin: settings.connectionsPerOrigin, inAll: settings.connectionsInAll,
            waitingLimit: settings.waitingLimit)
        unsafe gateway_share_set(share, CURL_LOCK_DATA_SSL_SESSION)
        unsafe gateway_share_set(share, CURL_LOCK_DATA_DNS)
        sockets.watch(inbox.eventDescriptor)
        guard poolWithRoom() != nil else {
            unsafe curl_share_cleanup(share)
            return nil
        }
    }

    /// Turns until the inbox is closed, then ends everything.
    func run() {
        // Timers count from now on: the wheel begins at zero.
        wheel.advance(to: LoopClock.tick(of: now), into: &expired)
        while true {
            let isClosing = inbox.take(into: &commands)
            for command in commands { handle(command) }
            commands.removeAll(keepingCapacity: true)
            if isClosing { break }
            runCurlTimers()
            collectEnded()
            expireTimers()
            inbox.note(isCrowded: queue.waitingCount > 0)
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
        }
    }

    private func runCurlTimers() {
        for pool in pools { pool.runTimers(now: now) }
    }

    private func expireTimers() {
        wheel.advance(to: UInt64(max(0, now)) / 1_000_000, into: &expired)
        bodies.expire(at: now)
        closeIdlePools()
        for index in expired { expire(index) }
        expired.removeAll(keepingCapacity: true)
    }

    private func resumeAll() {
        deliverAll()
        for index in unsafe resumptions.indices { unsafe resumptions[index].resume() }
        unsafe resumptions.removeAll(keepingCapacity: true)
    }

    private func sleep() {
        let timeout = inbox.prepareToSleep() ? sleepMilliseconds() : 0
        let count = sockets.wait(milliseconds: timeout)
        now = LoopClock.now
        for index in 0..<count {
            guard let event = sockets.event(index, except: inbox.eventDescriptor) else { continue }
            if event.descriptor == inbox.eventDescriptor {
                inbox.acknowledge()
                continue
            }
            pools[event.pool].act(on: event)
        }
        collectEnded()
    }

    private func sleepMilliseconds() -> Int32 {
        var until = pools.reduce(idlePoolExpiry) { min($0, $1.due) }
        if let tick = wheel.nextTick { until = min(until, Int64(tick) * 1_000_000) }
        if let expiry = bodies.expiry { until = min(until, expiry) }
        guard until < LoopClock.never else { return -1 }
        let current = LoopClock.now
        return until <= current ? 0 : Int32(min((until - current + 999_999) / 1_000_000, 1_000_000))
    }

    private func shutDown() {
        for index in transfers.indices {
            guard let transfer = transfers[index] else { continue }
            let handle = unsafe transfer.onLoop.handle
            finish(
                transfer,
                .failure(
                    handle?.error(.closed, "The transport was closed.")
                        ?? Transfer.closed(transfer.request.origin)))
        }
        idleHandles = []
        for pool in pools { pool.close() }
        pools = []
        unsafe curl_share_cleanup(share)
        resumeAll()
    }
}
