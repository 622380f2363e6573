#if DEBUG
    /// Counts what the calls of a task cost. Builds for release do not have it.
    package final class CallCounter: Sendable {
        /// The counter of the current task.
        @TaskLocal package static var current: CallCounter?

        private let counts = Locked<[String: Int]>([:])

        /// Makes a counter.
        package init() {}

        /// How often something happened.
        package subscript(name: String) -> Int { counts.withLock { $0[name] ?? 0 } }

        /// Counts a box of the values of a type, by the name of the type around them: `box of HTTPRequest`.
        func addBox<Value>(of type: Value.Type) {
            add("box of " + (String(reflecting: type).split(separator: ".").dropFirst().first ?? ""))
        }

        /// Counts one.
        func add(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
    }
#endif
