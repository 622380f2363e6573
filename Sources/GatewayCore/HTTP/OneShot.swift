/// A value that can be taken once.
package final class OneShot<Value: Sendable>: Sendable {
    private let value: Locked<Value?>

    package init(_ value: Value) { self.value = Locked(value) }

    /// Whether the value was taken.
    package var isTaken: Bool { value.withLock { $0 == nil } }

    /// Takes the value: the first call returns it, every later call returns `nil`.
    package func take() -> Value? {
        value.withLock { value in
            defer { value = nil }
            return value
        }
    }
}
