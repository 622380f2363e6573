/// What a check of a conformance suite found.
struct Findings {
    private(set) var all: [String] = []

    mutating func add(_ text: String) { all.append(text) }

    /// Adds a text if the condition is false.
    mutating func expect(_ isSo: Bool, _ text: String) {
        if !isSo { add(text) }
    }

    /// Adds a text for each secret that a printed value contains. The secrets themselves are not repeated.
    mutating func addLeaks(of secrets: [String], in printed: String, from what: String) {
        for secret in secrets where !secret.isEmpty && printed.contains(secret) {
            add("\(what) prints a secret")
        }
    }
}
