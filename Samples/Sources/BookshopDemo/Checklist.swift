/// What must be true at the end, and what was not.
struct Checklist {
    private(set) var failures: [String] = []

    /// Notes a failure unless the condition holds.
    mutating func require(_ condition: Bool, _ expectation: @autoclosure () -> String) {
        if !condition { failures.append(expectation()) }
    }
}
