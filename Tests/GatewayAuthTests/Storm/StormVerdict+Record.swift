import GatewayTesting

extension StormVerdict {
    /// A storm's entries, by what they are about.
    struct Record {
        struct Use {
            let time: UInt64
            let outcome: EmbeddedGateway.RefreshTokenUse.Outcome
            let token: String
            let family: Int?
        }

        struct Send {
            let time: UInt64
            let who: String
            let token: String
        }

        struct Round {
            let number: Int
            let healed: UInt64
            let over: UInt64
        }

        let entries: [StormEntry]
        private(set) var uses: [Use] = []
        private(set) var sends: [String: [Send]] = [:]
        private(set) var processes: [String: Process] = [:]
        private(set) var rounds: [Round] = []
        /// When a login could be lost: a token was used again, or the record was lost.
        private(set) var losses: [UInt64] = []
        private(set) var restored: [ClosedRange<UInt64>] = []
        private var logins: [(begun: UInt64, done: UInt64)] = []

        var end: UInt64 { entries.last?.time ?? 0 }

        /// - Parameter entries: in the order of time.
        init(_ entries: [StormEntry]) {
            self.entries = entries
            var (healed, begun): (UInt64, UInt64) = (0, 0)
            for entry in entries {
                switch entry.what {
                case .use(let outcome, let token, let family):
                    uses.append(Use(time: entry.time, outcome: outcome, token: token, family: family))
                    if outcome == .reused { losses.append(entry.time) }
                case .send(let token):
                    sends[token, default: []].append(Send(time: entry.time, who: entry.who, token: token))
                    with(entry.who) { $0.steps.append(entry) }
                case .kill(let who): with(who) { $0.killed = entry.time }
                case .exited(let who, let status):
                    with(who) { ($0.exited, $0.status) = (entry.time, status) }
                case .stop(let who): with(who) { $0.stops.append((entry.time, .max)) }
                case .proceed(let who):
                    with(who) { process in
                        if let last = process.stops.indices.last { process.stops[last].to = entry.time }
                    }
                case .starve(let who): with(who) { $0.starved.append((entry.time, .max)) }
                case .feed(let who):
                    with(who) { process in
                        if let last = process.starved.indices.last { process.starved[last].to = entry.time }
                    }
                case .lost: losses.append(entry.time)
                case .restored(let end):
                    losses.append(entry.time)
                    restored.append(entry.time...max(entry.time, end))
                case .login: begun = entry.time
                case .loggedIn: logins.append((begun, entry.time))
                case .healed: healed = entry.time
                case .over(let number): rounds.append(Round(number: number, healed: healed, over: entry.time))
                case .started: with(entry.who) { $0.started = entry.time }
                case .call(let call): with(entry.who) { $0.calls[call] = entry.time }
                case .ended(let call, let outcome):
                    with(entry.who) { process in
                        process.ends.append((entry.time, call, outcome))
                        process.endTimes[call] = entry.time
                    }
                case .followed: with(entry.who) { $0.followed.append(entry.time) }
                case .locked, .read, .answer, .stored: with(entry.who) { $0.steps.append(entry) }
                case .other, .unlocked, .round, .act: break
                }
            }
        }

        private mutating func with(_ name: String, _ change: (inout Process) -> Void) {
            change(&processes[name, default: Process(name: name)])
        }

        // MARK: Reuse

        /// What became of a refresh token that was sent.
        enum Fate {
            /// The server did not use it up.
            case harmless
            case explained(Reason)
            case unexplained(String)
        }

        /// - Parameter next: when it was sent again.
        func fate(of send: Send, before next: UInt64) -> Fate {
            guard let process = processes[send.who] else { return .unexplained("is unknown") }
            let later = process.steps.drop { $0.time <= send.time }.prefix { $0.time < next }
            let end = later.first { entry in
                if case .answer(send.token, _) = entry.what { return true }
                return false
            }
            var answer: String?
            if let end, case .answer(_, let text) = end.what { answer = text }
            if let answer, let status = Int(answer), status != 200 { return .harmless }
            let stored = later.first {
                if case .stored = $0.what { return true }
                return false
            }?.time
            if let killed = process.wasKilled, killed < next, stored == nil { return .explained(.killed) }
            // The server does not act on a request whose connection is gone: what it grants later is another process's.
            let isCutOff = answer?.hasPrefix("connection_lost") == true
            let last = isCutOff ? end?.time ?? next : next
            let isUsed = uses.contains {
                $0.token == send.token && $0.outcome == .granted && $0.time >= send.time && $0.time <= last
            }
            if answer != nil, answer != "200", !isUsed { return .harmless }
            if restored.contains(where: { $0.contains(send.time) }) { return .explained(.restored) }
            guard let stored else {
                return .unexplained(answer.map { "was answered \($0) and stored nothing" } ?? "waited still")
            }
            if restored.contains(where: { $0.contains(stored) }) { return .explained(.restored) }
            return .unexplained("had stored what came of it")
        }

        // MARK: Logins

        /// Since when a process takes part in the newest login that it knows of.
        func login(of process: Process, at time: UInt64) -> UInt64 {
            logins.last { login in
                process.started.map { $0 > login.done } ?? false
                    || process.followed.contains { $0 >= login.begun && $0 <= time }
            }?.begun ?? 0
        }
    }

    /// What is known of a process.
    struct Process {
        let name: String
        var started: UInt64?
        var killed: UInt64?
        var exited: UInt64?
        var status: Int32 = 0
        var stops: [(from: UInt64, to: UInt64)] = []
        var starved: [(from: UInt64, to: UInt64)] = []
        var calls: [Int: UInt64] = [:]
        var ends: [(time: UInt64, call: Int, outcome: String)] = []
        var endTimes: [Int: UInt64] = [:]
        var followed: [UInt64] = []
        /// Its sends, their answers, and what it stored, in order.
        var steps: [StormEntry] = []

        /// When it was killed: by the driver, or by libdispatch, which once a second opens files of `/proc` to count its
        /// threads, and traps where it may not.
        var wasKilled: UInt64? {
            guard killed == nil, let exited, status & 0x7F == 4 else { return killed }
            return starved.contains { $0.from <= exited && exited <= $0.to } ? exited : nil
        }

        func stopped(from start: UInt64, to end: UInt64) -> UInt64 {
            stops.reduce(0) { sum, stop in
                let (from, to) = (max(stop.from, start), min(stop.to, end))
                return sum + (to > from ? to - from : 0)
            }
        }

        func isAlive(from start: UInt64, to end: UInt64) -> Bool {
            (started.map { $0 <= start } ?? true) && killed == nil && exited == nil
        }
    }
}
