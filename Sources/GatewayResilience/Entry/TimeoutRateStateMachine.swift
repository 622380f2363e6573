import GatewayCore

/// The rates of timeouts by origin and operation, in a window that moves in tenths. Pure: the caller passes
/// the time.
///
/// A rate is *ordinary* or *exceeded*. Transitions: ordinary → exceeded when a call ends, the window has
/// enough calls, and their rate is at or above the limit; exceeded → ordinary when a call ends and the rate
/// is below half of the limit.
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
        /// As many as ``slotCount``.
        var slots: [10 of Counts] = .init(repeating: Counts())
        /// The sums of all slots.
        var sum = Counts()
        /// The number of the latest slot.
        var latest: Int
        var isExceeded = false

        /// Moves to a slot. An earlier one, as by a call on another thread, is treated as the latest.
        mutating func move(to slot: Int) {
            guard slot > latest else { return }
            for passed in (latest + 1)...min(slot, latest + TimeoutRateStateMachine.slotCount) {
                let index = passed % TimeoutRateStateMachine.slotCount
                sum.calls -= slots[index].calls
                sum.timeouts -= slots[index].timeouts
                slots[index] = Counts()
            }
            latest = slot
        }

        /// Records the end of a call.
        mutating func record(isTimeout: Bool, slot: Int, _ alert: TimeoutAlert) -> Change? {
            move(to: slot)
            let index = latest % TimeoutRateStateMachine.slotCount
            slots[index].calls += 1
            sum.calls += 1
            if isTimeout {
                slots[index].timeouts += 1
                sum.timeouts += 1
            }
            // Most windows have no timeout: this saves the division.
            if sum.timeouts == 0, !isExceeded { return nil }
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
    private let start: MonotonicTime
    private let slotNanoseconds: Int64
    /// The slot of the latest call, and its begin in attoseconds since the start. Most calls end in the same
    /// slot as the one before, which saves a division.
    private var slot: (number: Int, begin: Int128) = (0, 0)
    private var windows: [Key: Window] = [:]
    /// The index of the latest key; `nil` if it was new, because only then windows are added or removed.
    /// Most calls have the same key as the one before, which saves a lookup.
    private var latest: Dictionary<Key, Window>.Index?
    /// The latest key.
    private var latestKey: Key?
    /// The slot in which windows without calls were last removed.
    private var sweptSlot = -1

    /// - Parameters:
    ///   - capacity: the maximum number of keys.
    ///   - start: when the first slot begins.
    init(_ alert: TimeoutAlert, capacity: Int = 1024, start: MonotonicTime) {
        self.alert = alert
        self.capacity = capacity
        self.start = start
        slotNanoseconds = max(1, alert.window.wholeNanoseconds / Int64(Self.slotCount))
    }

    /// The number of keys.
    var count: Int { windows.count }

    /// Records the end of a call.
    mutating func record(_ key: Key, isTimeout: Bool, now: MonotonicTime) -> Change? {
        let slot = slot(at: now)
        if let index = index(of: key) {
            return windows.values[index].record(isTimeout: isTimeout, slot: slot, alert)
        }
        if windows.count >= capacity { removeEmpty(at: slot) }
        guard windows.count < capacity else { return nil }
        return windows[key, default: Window(latest: slot)].record(isTimeout: isTimeout, slot: slot, alert)
    }

    private mutating func index(of key: Key) -> Dictionary<Key, Window>.Index? {
        if isLatest(key) { return latest }
        latest = windows.index(forKey: key)
        latestKey = key
        return latest
    }

    private func isLatest(_ key: Key) -> Bool { latestKey == key && latest != nil }

    /// The number of the slot of an instant.
    private mutating func slot(at now: MonotonicTime) -> Int {
        let time = start.duration(to: now)
        let passed = time.attoseconds.subtractingClamped(slot.begin)
        if passed >= 0, passed < Int128(slotNanoseconds) * 1_000_000_000 { return slot.number }
        let number = max(0, Int(time.wholeNanoseconds / slotNanoseconds))
        slot = (number, Int128(number) * Int128(slotNanoseconds) * 1_000_000_000)
        return number
    }

    /// Removes the windows without calls, at most once in each slot.
    private mutating func removeEmpty(at slot: Int) {
        guard slot > sweptSlot else { return }
        sweptSlot = slot
        windows = windows.filter { $0.value.latest + Self.slotCount > slot }
    }
}

extension Duration {
    /// The duration in whole nanoseconds, at most 292 years.
    fileprivate var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = bounded.components
        let (nanoseconds, isLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if isLong { return seconds < 0 ? .min : .max }
        return nanoseconds.addingClamped(attoseconds / 1_000_000_000)
    }
}
