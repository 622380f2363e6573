#if DEBUG
    /// Counts operations of the calls of a task. Not part of release builds.
    package final class CallCounter: Sendable {
        /// The counter of the current task.
        @TaskLocal package static var current: CallCounter?

        private let counts = Locked<[String: Int]>([:])

        /// Creates a counter.
        package init() {}

        /// The number of times that an operation happened.
        package subscript(name: String) -> Int { counts.withLock { $0[name] ?? 0 } }

        /// Counts the allocation of a box for the values of a type, by the name of the enclosing type: `box of
        /// HTTPRequest`.
        func addBox<Value>(of type: Value.Type) {
            add("box of " + (String(reflecting: type).split(separator: ".").dropFirst().first ?? ""))
        }

        /// Counts one operation.
        func add(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
    }
#endif
