private import GatewayLibC

/// The environment variables of a queue.
struct QueueVariables {
    /// `nil` for those of the process.
    let given: [String: String]?

    /// The value of a variable; `nil` if it is not set or empty.
    func text(_ name: String) -> String? {
        let text: String?
        if let given {
            text = given[name]
        } else {
            text = unsafe getenv(name).flatMap { unsafe String(validatingCString: $0) }
        }
        return text?.isEmpty == false ? text : nil
    }

    /// A whole number.
    func number(_ name: String, _ range: ClosedRange<Int>) throws(QueueError) -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let bound =
                range.upperBound == .max
                ? "of \(range.lowerBound) or more" : "from \(range.lowerBound) to \(range.upperBound)"
            throw .invalid(name, "must be a whole number \(bound)")
        }
        return number
    }
}
