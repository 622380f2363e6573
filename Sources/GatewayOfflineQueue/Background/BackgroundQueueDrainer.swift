public import GatewayCore

/// Drains queues periodically, for programs that do not run all the time or may not send all the time.
///
/// ```swift
/// let drainer = try BackgroundQueueDrainer(cycleLimit: .seconds(25))
/// await drainer.register("orders", queue)
/// await drainer.scheduleNextDrain()
/// ```
/// One cycle runs at a time. When its time limit passes, attempts in progress are abandoned, their entries
/// remain in the queue, and the next cycle is scheduled.
public actor BackgroundQueueDrainer {
    private let schedule: any QueueDrainSchedule
    private let clock: any GatewayClock
    private let interval: Duration
    private let cycleLimit: Duration
    private var queues: [String: OfflineQueueEngine] = [:]
    /// The number of callers that have joined a cycle of another caller.
    private(set) var joined = 0
    private var cycle: Task<[String: DrainReport], Never>?
    /// The number of calls of ``cancel()``: a cycle in progress then schedules no further one.
    private var cancellations = 0

    /// Creates a drainer.
    ///
    /// - Parameters:
    ///   - schedule: starts the cycles.
    ///   - interval: the time between cycles, 1 s or longer. Defaults to 15 min.
    ///   - cycleLimit: the time limit of a cycle, more than zero. Defaults to 30 s.
    ///   - clock: the clock of the limit.
    /// - Throws: ``QueueError`` with the code ``QueueError/Code/invalid`` and the invalid property.
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

    /// Adds a queue, replacing another one with the same name.
    public func register(_ name: String, _ queue: OfflineQueueEngine) { queues[name] = queue }

    /// Removes a queue. A cycle in progress still drains it.
    public func unregister(_ name: String) { queues[name] = nil }

    /// Schedules the next cycle, replacing one that was scheduled before.
    ///
    /// - Parameter delay: the time until the cycle; `nil` for the interval.
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

    /// Cancels the scheduled cycle and a cycle in progress.
    public func cancel() {
        cancellations += 1
        schedule.cancel()
        expire()
    }

    /// Drains all queues, and schedules the next cycle. Joins a cycle that is in progress.
    ///
    /// - Parameter deadline: when the cycle ends; `nil` for the limit of a cycle.
    /// - Returns: the reports by the names of the queues.
    @discardableResult
    public func runDrainCycle(until deadline: Deadline? = nil) async -> [String: DrainReport] {
        if let cycle {
            joined += 1
            defer { joined -= 1 }
            return await cycle.value
        }
        let deadline = deadline ?? .after(cycleLimit, clock: clock)
        let (queues, cancellations) = (queues, cancellations)
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
        if cancellations == self.cancellations { scheduleNextDrain() }
        return reports
    }

    /// Call it when the platform's time for a background task is over: attempts in progress are abandoned,
    /// and their entries remain in the queues.
    public func expire() { cycle?.cancel() }
}

extension BackgroundQueueDrainer: EnginePart {
    /// Cancels the scheduled cycle, and waits for a cycle in progress until the deadline.
    public func end(until deadline: Deadline) async {
        cancellations += 1
        schedule.cancel()
        guard let cycle else { return }
        let alarm = clock.alarm(at: deadline.instant) { cycle.cancel() }
        _ = await cycle.value
        alarm.cancel()
    }
}
