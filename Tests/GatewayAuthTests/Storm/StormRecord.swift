import GatewayCore
import GatewayTesting

/// One step of a storm: of a process, of the token server, or of the driver. All times are those of one clock.
struct StormEntry: Sendable {
    /// Nanoseconds since the machine started.
    let time: UInt64
    /// `driver`, `server`, or a process: `p2.7` is the seventh one in the second place.
    let who: String
    let what: Step

    init(_ time: UInt64, _ who: String, _ what: Step) {
        self.time = time
        self.who = who
        self.what = what
    }

    enum Step: Sendable, Equatable {
        // Of a process, as it says itself. `send` and `call` are written before, the others after the step.
        case started
        case locked
        /// It has read the record, and looks at its lock once more after this, right before it sends.
        case read(generation: String, token: String)
        case send(token: String)
        case answer(token: String, String)
        case stored(token: String)
        case call(Int)
        case ended(Int, String)
        /// It takes part in a new login.
        case followed
        case other(String)

        // Of the driver, written before what is done.
        case kill(String)
        case exited(String, status: Int32)
        case stop(String)
        case proceed(String)
        /// It may open no descriptor, and may again.
        case starve(String)
        case feed(String)
        /// Lock files are taken away, whoever holds them; written before and after.
        case unlocked
        /// The record is gone: damaged or deleted.
        case lost(String)
        /// The record is replaced by an older one: what is stored from here on to then is gone.
        case restored(until: UInt64)
        /// Somebody signs in.
        case login(token: String)
        /// The login is stored.
        case loggedIn
        case round(Int)
        /// Nothing is in the way any more.
        case healed(Int)
        case over(Int)
        case act(String)

        // Of the server.
        case use(EmbeddedGateway.RefreshTokenUse.Outcome, token: String, family: Int?)
    }
}

extension StormEntry: CustomStringConvertible {
    var description: String {
        let (seconds, rest) = (time / 1_000_000_000, time / 1000 % 1_000_000)
        let fraction = String(rest)
        return "\(seconds).\(String(repeating: "0", count: 6 - fraction.count))\(fraction) \(who) \(what)"
    }
}

extension StormEntry.Step: CustomStringConvertible {
    var description: String {
        switch self {
        case .started: "started"
        case .locked: "locked"
        case .read(let generation, let token): "read \(generation) \(token)"
        case .send(let token): "send \(token)"
        case .answer(let token, let text): "answer \(token) \(text)"
        case .stored(let token): "stored \(token)"
        case .call(let call): "call \(call)"
        case .ended(let call, let outcome): "ended \(call) \(outcome)"
        case .followed: "event signedIn"
        case .other(let text), .act(let text): text
        case .kill(let who): "KILL \(who)"
        case .exited(let who, let status): "\(who) is gone, status \(status)"
        case .stop(let who): "STOP \(who)"
        case .proceed(let who): "CONT \(who)"
        case .starve(let who): "no descriptors for \(who)"
        case .feed(let who): "descriptors for \(who)"
        case .unlocked: "lock files taken away"
        case .lost(let how): "record lost: \(how)"
        case .restored: "record replaced by an older one"
        case .login(let token): "signing in with \(token)"
        case .loggedIn: "signed in"
        case .round(let number): "round \(number)"
        case .healed(let number): "round \(number): nothing in the way"
        case .over(let number): "round \(number): over"
        case .use(let outcome, let token, let family):
            "\(outcome) \(token) of family \(family ?? -1)"
        }
    }
}

extension StormEntry {
    /// A line of a process's trace: `~ NANOSECONDS WORD …`.
    init?(line: String, of who: String) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count >= 3, words[0] == "~", let time = UInt64(words[1]) else { return nil }
        let rest = words[3...].joined(separator: " ")
        func number() -> Int { words.count > 3 ? Int(words[3]) ?? 0 : 0 }
        let what: Step? =
            switch (words[2], words.count) {
            case ("locked", _): .locked
            case ("read", 5): .read(generation: words[3], token: words[4])
            case ("send", 4): .send(token: words[3])
            case ("answer", 5...): .answer(token: words[3], words[4...].joined(separator: " "))
            case ("stored", 5...): .stored(token: words[4])
            case ("call", 4): .call(number())
            case ("ended", 5...): .ended(number(), words[4...].joined(separator: " "))
            case ("event", 4) where words[3] == "signedIn": .followed
            default: nil
            }
        self.init(time, who, what ?? .other(words[2] + (rest.isEmpty ? "" : " " + rest)))
    }

    init(_ use: EmbeddedGateway.RefreshTokenUse, time: UInt64) {
        self.init(
            time, "server",
            .use(use.outcome, token: use.token, family: use.family))
    }
}
