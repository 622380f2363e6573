import GatewayCore

/// The rates of timeouts by origin and operation, over a window that moves in tenths. Pure: instants are passed in.
///
/// A rate is *ordinary* or *exceeded*. Transitions: ordinary → exceeded when a call ends, there are enough calls in the
/// window, and their rate is at the limit; exceeded → ordinary when a call ends and the rate is below half of the limit.
struct TimeoutRateStateMachine {
    /// The calls that are counted together.
    struct Key: Hashable {
        let origin: Origin
        let operation: Operation?
    }

    /// A transition.
    enum Change: Hashable {
        case exceeded(rate: Double, calls: Int)
        case recovered
    }

    private struct Counts {
        var calls = 0
        var timeouts = 0
    }

    private struct Window {
        var slots = [Counts](repeating: Counts(), count: TimeoutRateStateMachine.slotCount)
        /// The sums of all slots.
        var sum = Counts()
        /// The number of the latest slot since the start.
        var latest: Int
        var isExceeded = false

        /// Moves to a slot. An earlier one, as by a call on another thread, counts as the latest.
        mutating func move(to slot: Int) {
            guard slot > latest else { return }
            for passed in (latest + 1)...min(slot, latest + slots.count) {
                let index = passed % slots.count
                sum.calls -= slots[index].calls
                sum.timeouts -= slots[index].timeouts
                slots[index] = Counts()
            }
            latest = slot
        }

        /// Records the end of a call.
        mutating func record(isTimeout: Bool, slot: Int, _ alert: TimeoutAlert) -> Change? {
            move(to: slot)
            let index = latest % slots.count
            slots[index].calls += 1
            sum.calls += 1
            if isTimeout {
                slots[index].timeouts += 1
                sum.timeouts += 1
            }
            let rate = Double(sum.timeouts) / Double(sum.calls)
            if isExceeded {
                guard rate < alert.rate / 2 else { return nil }
                isExceeded = false
                return .recovered
            }
            guard sum.calls >= alert.minimumCalls, rate >= alert.rate else { return nil }
            isExceeded = true
            return .exceeded(rate: rate, calls: sum.calls)
        }
    }

    private static let slotCount = 10

    private let alert: TimeoutAlert
    private let capacity: Int
    private let start: ContinuousClock.Instant
    private let slotNanoseconds: Int64
    private var windows: [Key: Window] = [:]
    /// The slot in which windows without calls were last removed.
    private var sweptSlot = -1

    /// - Parameters:
    ///   - capacity: the maximum number of keys.
    ///   - start: when the first slot begins.
    init(_ alert: TimeoutAlert, capacity: Int = 1024, start: ContinuousClock.Instant) {
        self.alert = alert
        self.capacity = capacity
        self.start = start
        slotNanoseconds = max(1, alert.window.wholeNanoseconds / Int64(Self.slotCount))
    }

    /// The number of keys.
    var count: Int { windows.count }

    /// Records the end of a call.
    mutating func record(_ key: Key, isTimeout: Bool, now: ContinuousClock.Instant) -> Change? {
        let slot = max(0, Int(start.duration(to: now).wholeNanoseconds / slotNanoseconds))
        if windows[key] == nil {
            if windows.count >= capacity { removeEmpty(at: slot) }
            guard windows.count < capacity else { return nil }
        }
        return windows[key, default: Window(latest: slot)].record(isTimeout: isTimeout, slot: slot, alert)
    }

    /// Removes the windows without calls, at most once in each slot.
    private mutating func removeEmpty(at slot: Int) {
        guard slot > sweptSlot else { return }
        sweptSlot = slot
        windows = windows.filter { $0.value.latest + Self.slotCount > slot }
    }
}

extension Duration {
    /// The whole nanoseconds of the duration, at most 292 years.
    fileprivate var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = bounded.components
        let (nanoseconds, isLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if isLong { return seconds < 0 ? .min : .max }
        return nanoseconds.addingClamped(attoseconds / 1_000_000_000)
    }
}
