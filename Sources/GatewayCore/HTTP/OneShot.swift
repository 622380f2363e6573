/// A value that can be taken once.
package final class OneShot<Value: Sendable>: Sendable {
    private let value: Locked<Value?>

    package init(_ value: Value) { self.value = Locked(value) }

    /// Whether somebody has taken the value.
    package var isTaken: Bool { value.withLock { $0 == nil } }

    /// The value for the first caller, `nil` for every later one.
    package func take() -> Value? {
        value.withLock { value in
            defer { value = nil }
            return value
        }
    }
}
