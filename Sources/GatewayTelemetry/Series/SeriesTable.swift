/// Values by key, bounded in number. Each update reaches exactly one value: that of its key, or past the bound the one of the
/// overflow.
struct SeriesTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The maximum number of values, the overflow included.
    let limit: Int
    private var positions: [Key: Int] = [:]
    private var keys: [Key] = []
    private var values: [Value] = []
    /// The position of the latest key: most updates have the same one as those before, and need no hash then.
    private var latest = 0
    /// The value of all keys past the bound; `nil` if there are none.
    private(set) var overflow: Value?

    /// - Parameter limit: the maximum number of values, 2 or more; less counts as that.
    init(limit: Int) { self.limit = max(2, limit) }

    /// The number of values, the overflow included.
    var count: Int { values.count + (overflow == nil ? 0 : 1) }

    /// The values with their keys, in the order of their first update, without the overflow.
    var entries: [(key: Key, value: Value)] { Array(zip(keys, values).map { ($0, $1) }) }

    /// Changes the value of a key.
    ///
    /// - Parameter initial: the value before the first change.
    @inline(__always)
    mutating func update<Result>(
        _ key: Key, from initial: @autoclosure () -> Value, _ change: (inout Value) -> Result
    ) -> Result {
        let isLatest = latest < keys.count && keys.span[latest] == key
        if isLatest || select(key, from: initial) { return change(&values[latest]) }
        var value = overflow ?? initial()
        // Not copied when it is changed.
        overflow = nil
        defer { overflow = value }
        return change(&value)
    }

    /// Makes a key the latest one, and adds it if it is new.
    ///
    /// - Returns: `false` if it has no room.
    @inline(never)
    private mutating func select(_ key: Key, from initial: () -> Value) -> Bool {
        if let position = positions[key] {
            latest = position
            return true
        }
        guard values.count < limit - 1 else { return false }
        latest = values.count
        positions[key] = latest
        keys.append(key)
        values.append(initial())
        return true
    }
}
