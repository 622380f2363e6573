public import GatewayCore

/// Drains queues from time to time, for programs that do not run all the time or must not send all the time.
///
/// ```swift
/// let drainer = try BackgroundQueueDrainer(cycleLimit: .seconds(25))
/// await drainer.register("orders", queue)
/// await drainer.scheduleNextDrain()
/// ```
/// One cycle runs at a time. When its time is up, attempts in progress are given up, their entries remain in the queue, and the
/// next cycle is scheduled.
public actor BackgroundQueueDrainer {
    private let schedule: any QueueDrainSchedule
    private let clock: any GatewayClock
    private let interval: Duration
    private let cycleLimit: Duration
    private var queues: [String: OfflineQueueEngine] = [:]
    /// The number of callers that wait for a cycle of another one.
    private(set) var joined = 0
    private var cycle: Task<[String: DrainReport], Never>?

    /// Creates a drainer.
    ///
    /// - Parameters:
    ///   - schedule: when cycles run.
    ///   - interval: the time between cycles, 1 s or longer. 15 min by default.
    ///   - cycleLimit: how long a cycle may take, more than zero. 30 s by default.
    ///   - clock: the clock of the limit.
    /// - Throws: ``QueueError`` with the code ``QueueError/Code/invalid`` and the property that is wrong.
    public init(
        schedule: any QueueDrainSchedule = TimerDrainSchedule(), interval: Duration = .seconds(900),
        cycleLimit: Duration = .seconds(30), clock: any GatewayClock = SystemClock()
    ) throws(QueueError) {
        guard interval >= .seconds(1) else { throw .invalid("interval", "must be 1 s or longer") }
        guard cycleLimit > .zero else { throw .invalid("cycleLimit", "must be more than zero") }
        self.schedule = schedule
        self.interval = interval
        self.cycleLimit = cycleLimit
        self.clock = clock
    }

    /// Adds a queue, in the place of another one with the same name.
    public func register(_ name: String, _ queue: OfflineQueueEngine) { queues[name] = queue }

    /// Removes a queue. A cycle in progress still drains it.
    public func unregister(_ name: String) { queues[name] = nil }

    /// Schedules the next cycle, in the place of one that was scheduled before.
    ///
    /// - Parameter delay: the time until then; `nil` for the interval.
    public func scheduleNextDrain(after delay: Duration? = nil) {
        schedule.schedule(after: max(.zero, delay ?? interval)) { [weak self] in
            guard let self else { return }
            await withTaskCancellationHandler {
                _ = await self.runDrainCycle()
            } onCancel: {
                Task.detached { await self.expire() }
            }
        }
    }

    /// Forgets the cycle that is scheduled, and ends one in progress.
    public func cancel() {
        schedule.cancel()
        expire()
    }

    /// Drains all queues, and schedules the next cycle. A cycle that is in progress is joined.
    ///
    /// - Parameter deadline: when it ends; `nil` for the limit of a cycle.
    /// - Returns: what became of the entries, by the names of the queues.
    @discardableResult
    public func runDrainCycle(until deadline: Deadline? = nil) async -> [String: DrainReport] {
        if let cycle {
            joined += 1
            defer { joined -= 1 }
            return await cycle.value
        }
        let deadline = deadline ?? .after(cycleLimit, clock: clock)
        let queues = queues
        // Detached: a cycle has neither the deadline nor the cancellation of its first caller.
        let cycle = Task.detached {
            await withTaskGroup(of: (String, DrainReport).self) { group in
                for (name, queue) in queues {
                    group.addTask { (name, await queue.drain(until: deadline)) }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
        }
        self.cycle = cycle
        let reports = await cycle.value
        self.cycle = nil
        scheduleNextDrain()
        return reports
    }

    /// The time of a cycle in progress is up: attempts in progress are given up, and their entries remain in the queues.
    public func expire() { cycle?.cancel() }
}
