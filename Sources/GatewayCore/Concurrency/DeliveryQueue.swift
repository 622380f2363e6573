/// What is to be delivered in its order, by one thread at a time and without the lock that guards this queue.
package struct DeliveryQueue<Item: Sendable>: Sendable {
    private var items: [Item] = []
    private var isDelivering = false

    package init() {}

    /// Adds items.
    ///
    /// - Returns: Whether the caller must deliver, without the lock, until ``next()`` returns nothing.
    package mutating func add(_ new: [Item]) -> Bool {
        guard !new.isEmpty else { return false }
        items += new
        defer { isDelivering = true }
        return !isDelivering
    }

    /// The items to deliver next. If there are none, the turn of the caller has ended.
    package mutating func next() -> [Item] {
        defer { items = [] }
        isDelivering = !items.isEmpty
        return items
    }
}
