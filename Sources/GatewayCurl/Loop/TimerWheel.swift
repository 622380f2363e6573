import GatewayCore

/// A hierarchical timing wheel (Varghese and Lauck, 1987): setting and clearing a timer takes constant time,
/// and the next expiry is found by reading a few words.
///
/// Six levels of 64 slots; a slot of level *n* is 64ⁿ ticks wide. A timer moves to a finer level when its
/// slot is reached, at most five times. The wheel has neither a clock nor callbacks: it receives ticks and
/// returns indices.
struct TimerWheel {
    private static let levels = 6
    private static let span: UInt64 = 1 << 36

    /// The tick up to which all timers have expired.
    private(set) var elapsed: UInt64 = 0
    private var occupied = [UInt64](repeating: 0, count: levels)
    private var slots = [LinkTable.List](repeating: LinkTable.List(), count: levels * 64)
    private var links = LinkTable()
    private var due: [UInt64] = []
    private var slotOf: [Int] = []

    /// Sets the timer of an index, replacing its previous one. A tick in the past expires at the next tick.
    mutating func schedule(_ index: Int, at tick: UInt64) {
        grow(toHold: index)
        if slotOf[index] >= 0 { cancel(index) }
        insert(index, at: max(tick, elapsed + 1))
    }

    /// Clears the timer of an index, if it has one.
    mutating func cancel(_ index: Int) {
        guard index < slotOf.count, slotOf[index] >= 0 else { return }
        let slot = slotOf[index]
        links.remove(index, from: &slots[slot])
        if slots[slot].isEmpty { occupied[slot >> 6] &= ~(1 << UInt64(slot & 63)) }
        slotOf[index] = -1
    }

    /// The next tick at which ``advance(to:into:)`` has work to do, no later than the expiry of the next
    /// timer; `nil` without timers.
    var nextTick: UInt64? { nextSlot?.tick }

    /// Advances the time and appends the indices of expired timers.
    mutating func advance(to now: UInt64, into expired: inout [Int]) {
        while let (slot, tick) = nextSlot, tick <= now {
            elapsed = tick
            while let index = links.popFirst(from: &slots[slot]) {
                slotOf[index] = -1
                if due[index] <= tick { expired.append(index) } else { insert(index, at: due[index]) }
            }
            occupied[slot >> 6] &= ~(1 << UInt64(slot & 63))
        }
        elapsed = max(elapsed, now)
    }

    private var nextSlot: (slot: Int, tick: UInt64)? {
        for level in 0..<Self.levels where occupied[level] != 0 {
            let shift = UInt64(level * 6)
            let current = (elapsed >> shift) & 63
            let word = occupied[level]
            let rotated = current == 0 ? word : word >> current | word << (64 - current)
            let slot = (UInt64(rotated.trailingZeroBitCount) + current) & 63
            var tick = (elapsed >> (shift + 6)) << (shift + 6) + slot << shift
            if tick <= elapsed { tick += 64 << shift }
            return (level << 6 + Int(slot), tick)
        }
        return nil
    }

    private mutating func insert(_ index: Int, at tick: UInt64) {
        let tick = min(tick, elapsed + Self.span - 1)
        due[index] = tick
        let differing = (elapsed ^ tick) | 63
        let level = min((63 - differing.leadingZeroBitCount) / 6, Self.levels - 1)
        let slot = level << 6 + Int((tick >> UInt64(level * 6)) & 63)
        links.append(index, to: &slots[slot])
        occupied[level] |= 1 << UInt64(slot & 63)
        slotOf[index] = slot
    }

    private mutating func grow(toHold index: Int) {
        while slotOf.count <= index {
            slotOf.append(-1)
            due.append(0)
        }
        links.grow(toHold: index)
    }
}
