import CommandArguments

extension Settings {
    /// The settings with names. Latency, loss and bandwidth of 3g and very-bad are those of Apple's Network Link Conditioner.
    static func profile(_ name: Substring) throws(UsageError) -> Settings {
        var settings = Settings()
        switch name {
        case "perfect": break
        case "3g":
            settings.up = Direction(delay: 100_000_000, jitter: 25_000_000, rate: 41_250)
            settings.down = Direction(delay: 100_000_000, jitter: 25_000_000, rate: 97_500)
        case "very-bad":
            settings.up = Direction(delay: 500_000_000, jitter: 250_000_000, rate: 125_000, loss: 0.1)
            settings.down = settings.up
        case "total-loss": settings.mode = .blackHole
        default: throw UsageError("unknown profile '\(name)': use perfect, 3g, very-bad or total-loss")
        }
        return settings
    }

    /// Applies assignments such as `down.rate=100k`, in order. Nothing is changed if one of them is wrong.
    mutating func apply(_ assignments: some Sequence<Substring>) throws(UsageError) {
        var changed = self
        for assignment in assignments { try changed.apply(assignment) }
        self = changed
    }

    private mutating func apply(_ assignment: Substring) throws(UsageError) {
        guard let sign = assignment.firstIndex(of: "=") else {
            throw UsageError("'\(assignment)' is not of the form key=value")
        }
        let value = assignment[assignment.index(after: sign)...]
        let key = assignment[..<sign]
        switch key {
        case "profile": self = try Self.profile(value)
        case "mode":
            guard let mode = Mode(rawValue: String(value)) else {
                let names = Mode.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("unknown mode '\(value)': use one of \(names)")
            }
            self.mode = mode
        case "reset": reset = try Quantity.probability(value, key, 0...1)
        default:
            let parts = key.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            switch (parts.first, parts.count) {
            case ("up", 2): try up.set(parts[1], to: value)
            case ("down", 2): try down.set(parts[1], to: value)
            default:
                try up.set(key, to: value)
                try down.set(key, to: value)
            }
        }
    }
}

extension Settings.Direction {
    fileprivate mutating func set(_ key: Substring, to value: Substring) throws(UsageError) {
        switch key {
        case "delay": delay = try Quantity.nanoseconds(value, key)
        case "jitter": jitter = try Quantity.nanoseconds(value, key)
        case "rate": rate = try Quantity.bytes(value, key)
        case "loss": loss = try Quantity.probability(value, key, 0...0.99)
        case "cut": cut = try Quantity.bytes(value, key)
        case "stall":
            guard value == "on" || value == "off" else { throw UsageError("'stall' must be on or off") }
            isStalled = value == "on"
        default: throw UsageError("unknown key '\(key)' (see gateway-chaos --help)")
        }
    }
}
