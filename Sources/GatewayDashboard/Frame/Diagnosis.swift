import GatewayCore
import GatewayResilience
import GatewayTelemetry

/// What is wrong now, in sentences.
struct Diagnosis: Sendable {
    struct Problem: Sendable, Equatable {
        let severity: Severity
        let text: String
        var side: Side?
        var subject: Subject?
    }

    static let problemLimit = 8

    /// The most serious ones first.
    let problems: [Problem]
    /// The first problem; without problems how many calls are made.
    let sentence: Problem

    init(_ snapshot: Snapshot) {
        var all: [Problem] = []
        all += Self.engines(snapshot)
        all += Self.tokens(snapshot)
        all += Self.network(snapshot)
        all += Self.breakers(snapshot)
        all += Self.failures(snapshot)
        all += Self.cancellations(snapshot)
        all += Self.limits(snapshot)
        all += Self.parts(snapshot)
        all += Self.slowOperations(snapshot)
        all += Self.rejections(snapshot)
        // Sorted by severity only; those of the same one stay in this order.
        let sorted = all.enumerated().sorted {
            $0.element.severity == $1.element.severity
                ? $0.offset < $1.offset : $0.element.severity > $1.element.severity
        }.map(\.element)
        problems = Array(sorted.prefix(Self.problemLimit))
        sentence = problems.first ?? Self.summary(snapshot)
    }

    /// How many calls are made.
    private static func summary(_ snapshot: Snapshot) -> Problem {
        guard snapshot.metrics.total.all.started > 0 else {
            return Problem(severity: .idle, text: "No call has been made yet.")
        }
        guard let window = snapshot.metrics.windows[.tenSeconds],
            snapshot.metrics.windows[.oneMinute]?.all.started ?? 0 > 0
        else { return Problem(severity: .idle, text: "No call has been made for a minute.") }
        let all = window.all
        let seconds = max(1, window.covered.milliseconds / 1_000)
        var text = "\(Figures.decimal(Double(all.started) / seconds)) calls/s"
        text += ", \(Figures.share(all.failed, of: all.succeeded + all.failed)) failed"
        if all.cancelled > 0 { text += ", \(Figures.count(all.cancelled)) cancelled" }
        if let p95 = all.p95 { text += ", 95 % took up to \(Figures.duration(p95))" }
        return Problem(severity: .ok, text: text + ".")
    }

    private static func engines(_ snapshot: Snapshot) -> [Problem] {
        snapshot.healths.contains(where: \.isEnding)
            ? [
                Problem(
                    severity: .critical, text: "The engine is shut down.", side: .here,
                    subject: Subject(.engine))
            ]
            : []
    }

    // MARK: Tokens

    private static func tokens(_ snapshot: Snapshot) -> [Problem] {
        snapshot.tokens.compactMap { token in
            guard let failure = token.failure else { return nil }
            let subject = Subject(.token, token.label.cut(to: 120))
            let label = subject.name
            let waiting = token.waiting == 0 ? "" : "; \(Figures.count(token.waiting)) callers wait"
            if token.usable == 0 || !token.isReady {
                let next =
                    failure.isPermanent
                    ? "a sign-in or another configuration is required"
                    : "the next request follows in \(Figures.duration(failure.retryAfter ?? .zero))"
                return Problem(
                    severity: token.isForSubjects && token.usable > 0 ? .warning : .critical,
                    text: "No token for \(label): \(failure.code.name); \(next)\(waiting).", side: .token,
                    subject: subject)
            }
            let rest = token.validFor.map { "; the current token is valid for \(Figures.duration($0))" } ?? ""
            return Problem(
                severity: .warning, text: "A refresh of \(label) failed: \(failure.code.name)\(rest).",
                side: .token, subject: subject)
        }
    }

    /// Tokens that were rejected in the last minute, as one problem.
    private static func rejections(_ snapshot: Snapshot) -> [Problem] {
        var (tokens, lanes, renewed, waited) = (0, 0, 0, 0)
        var latest: (label: String, time: UInt64)?
        for (key, lane) in snapshot.shared.tokens.lanes.sorted(by: { $0.key.label < $1.key.label }) {
            let rejected = lane.events.filter { event in
                event.name == "rejected" && snapshot.age(of: event.time) < 60_000_000_000
            }
            guard let last = rejected.last else { continue }
            tokens += rejected.count
            lanes += 1
            if last.time >= latest?.time ?? 0 { latest = (key.label.cut(to: 120), last.time) }
            let renewal = lane.events.last { $0.name == "refreshed" || $0.name == "adopted" }
            guard let renewal, renewal.time >= last.time else { continue }
            renewed += 1
            waited += renewal.waiting
        }
        guard let (label, time) = latest else { return [] }
        let age = Figures.duration(.nanoseconds(Int64(clamping: snapshot.age(of: time))))
        var text =
            switch (tokens, lanes) {
            case (1, _): "A server rejected a token of \(label) before it expired, \(age) ago"
            case (_, 1):
                "A server rejected \(tokens) tokens of \(label) before they expired, the latest one \(age) ago"
            default:
                "Servers rejected \(tokens) tokens of \(lanes) credentials before they expired, the latest one \(age)"
                    + " ago, of \(label)"
            }
        if renewed == lanes {
            text += "; \(tokens == 1 ? "it was" : "they were") renewed, and "
            text += "\(Figures.count(waited)) \(waited == 1 ? "call" : "calls") waited"
        } else if renewed > 0 {
            text += "; \(renewed) of \(lanes) credentials have a new one"
        }
        return [Problem(severity: .info, text: text + ".", side: .token, subject: Subject(.token, label))]
    }

    // MARK: Network and servers

    private static func network(_ snapshot: Snapshot) -> [Problem] {
        guard let network = snapshot.healths.lazy.compactMap(\.network).first else { return [] }
        func problem(_ severity: Severity, _ text: String) -> [Problem] {
            [Problem(severity: severity, text: text, side: .network, subject: Subject(.network))]
        }
        if let obstacle = network.obstacle {
            return problem(.critical, "The network has an obstacle: \(obstacle.rawValue).")
        }
        if !network.isOnline { return problem(.critical, "There is no network.") }
        return network.quality == .poor ? problem(.warning, "The quality of the network is poor.") : []
    }

    private static func breakers(_ snapshot: Snapshot) -> [Problem] {
        snapshot.breakers.compactMap { key, name, state in
            let name = name.cut(to: 120)
            let text: String
            switch state {
            case .closed: return nil
            case .open:
                text = "The circuit of \(name) is open: calls are rejected\(cause(of: key, snapshot))."
            case .halfOpen: text = "The circuit of \(name) is half open: a few calls pass as probes."
            case .isolated: text = "The circuit of \(name) is isolated: calls are rejected until it is reset."
            }
            return Problem(
                severity: state == .open ? .critical : .warning, text: text,
                side: state == .isolated ? .here : .upstream, subject: Subject(.breaker, name))
        }
    }

    /// The main reason of the failures that a circuit breaker counts.
    private static func cause(of key: CircuitBreakerRegistry.Key, _ snapshot: Snapshot) -> String {
        let counted = failureCounts(snapshot) { snapshot.counts($0, in: key) }
        guard let (reason, count) = counted.first else { return "" }
        return ", after \(Figures.count(count)) \(count == 1 ? "call" : "calls") failed with \(reason.text)"
    }

    /// The reasons of failures, the most frequent ones first. An open circuit is the last: it has a reason itself.
    private static func failureCounts(
        _ snapshot: Snapshot, where condition: (FailureTally.Key) -> Bool = { _ in true }
    ) -> [(reason: FailureTally.Reason, count: Int)] {
        var failures = snapshot.shared.failures
        var counts: [FailureTally.Reason: Int] = [:]
        for (key, count) in failures.counts(at: snapshot.now) where condition(key) {
            counts[key.reason, default: 0] += count
        }
        return counts.map { (reason: $0.key, count: $0.value) }.sorted { a, b in
            if a.reason.isOfOpenCircuit != b.reason.isOfOpenCircuit { return b.reason.isOfOpenCircuit }
            if a.count != b.count { return a.count > b.count }
            return (a.reason.text, "\(a.reason.origin)") < (b.reason.text, "\(b.reason.origin)")
        }
    }

    private static func failures(_ snapshot: Snapshot) -> [Problem] {
        guard let window = snapshot.metrics.windows[.tenSeconds] else { return [] }
        let all = window.all
        let ended = all.succeeded + all.failed
        guard ended > 0, let (key, count) = failureCounts(snapshot).first else { return [] }
        // The circuit itself is a problem then.
        if key.isOfOpenCircuit, snapshot.breakers.contains(where: { $0.state == .open }) { return [] }
        let failed = Double(all.failed) / Double(ended)
        guard failed >= 0.01 else { return [] }
        let severity: Severity =
            failed >= 0.5 && all.failed >= 5
            ? .critical : failed >= 0.05 && all.failed >= 2 ? .warning : .info
        // An operation with most of the failures is the place to look.
        let worst = window.operations.max { $0.value.failed < $1.value.failed }
        var subject = Subject(.origin, "\(key.origin)")
        if let worst, let operation = worst.key, worst.value.failed * 2 > all.failed {
            subject = Subject(.operation, operation.id.cut(to: 120))
        }
        let share = Figures.share(all.failed, of: ended)
        var text = "\(share) of \(Figures.count(ended)) calls failed in the last 10 s"
        if subject.kind == .operation { text += ", most of them \(subject.name)" }
        text += ": \(key.text) from \(key.origin)" + (count < all.failed ? " and others." : ".")
        return [Problem(severity: severity, text: text, side: key.side, subject: subject)]
    }

    /// Calls that their callers gave up: a server that does not answer may be the reason.
    private static func cancellations(_ snapshot: Snapshot) -> [Problem] {
        guard let window = snapshot.metrics.windows[.tenSeconds] else { return [] }
        let all = window.all
        let ended = all.succeeded + all.failed + all.cancelled
        guard all.cancelled >= 5, all.cancelled * 2 >= ended else { return [] }
        let worst = window.operations.max { $0.value.cancelled < $1.value.cancelled }
        var text =
            "\(Figures.share(all.cancelled, of: ended)) of \(Figures.count(ended)) calls were cancelled"
        text += " by their callers in the last 10 s"
        var subject: Subject?
        if let worst, let operation = worst.key, worst.value.cancelled * 2 > all.cancelled {
            subject = Subject(.operation, operation.id.cut(to: 120))
            text += ", most of them \(operation.id.cut(to: 120))"
        }
        return [Problem(severity: .warning, text: text + ".", side: .caller, subject: subject)]
    }

    // MARK: Limits

    private static func limits(_ snapshot: Snapshot) -> [Problem] {
        var problems: [Problem] = []
        for health in snapshot.healths {
            // A gate that is released at its pace, and that nobody waits for, delays nothing.
            for limit in health.rateLimits where limit.closedFor > .zero || limit.waiting > 0 {
                let calls =
                    switch limit.waiting {
                    case 0: "calls wait"
                    case 1: "1 call waits"
                    default: "\(Figures.count(limit.waiting)) calls wait"
                    }
                let rest = limit.closedFor > .zero ? ", for \(Figures.duration(limit.closedFor)) more" : ""
                problems.append(
                    Problem(
                        severity: .warning, text: "\(limit.origin) limits the rate: \(calls)\(rest).",
                        side: .upstream, subject: Subject(.rateGate, "\(limit.origin)")))
            }
            for (origin, budget) in health.retryBudgets.sorted(by: { "\($0.key)" < "\($1.key)" })
            where budget.isExhausted {
                problems.append(
                    Problem(
                        severity: .warning,
                        text: "The retry budget of \(origin) is exhausted: failed attempts are not repeated.",
                        side: .upstream, subject: Subject(.budget, "\(origin)")))
            }
            if let bulkhead = health.bulkhead, bulkhead.all.waitingCount > 0 {
                let (name, counts) = mostWaiting(bulkhead)
                problems.append(
                    Problem(
                        severity: .warning,
                        text:
                            "The bulkhead of \(name) is full: \(Figures.count(counts.inUse)) calls in progress, "
                            + "\(Figures.count(counts.waitingCount)) waiting.", side: .here,
                        subject: Subject(.bulkhead, name)))
            }
        }
        for (origin, counts) in snapshot.origins where counts.waiting > 0 {
            problems.append(
                Problem(
                    severity: counts.waiting >= 10 ? .warning : .info,
                    text: "\(Figures.count(counts.waiting)) requests wait for a connection to \(origin).",
                    side: .here, subject: Subject(.origin, origin)))
        }
        return problems
    }

    private static func mostWaiting(_ bulkhead: BulkheadStatistics) -> (String, BulkheadStatistics.Counts) {
        let most = bulkhead.origins.max { $0.value.waitingCount < $1.value.waitingCount }
        return most.map { ("\($0.key)", $0.value) } ?? ("all origins", bulkhead.all)
    }

    private static func parts(_ snapshot: Snapshot) -> [Problem] {
        snapshot.healths.flatMap(\.parts).compactMap { part in
            let name = part.name.cut(to: 120)
            let subject = part.name == "queue" ? Subject(.queue, name) : Subject(.engine, name)
            func problem(_ severity: Severity, _ text: String) -> Problem {
                Problem(severity: severity, text: text, side: .here, subject: subject)
            }
            if !part.isReady {
                return problem(.critical, "The part \(name) is not ready: \(part.state.cut(to: 120)).")
            }
            guard part.name == "queue" else { return nil }
            if let count = part.counts["needing_attention"], count > 0 {
                return problem(.warning, "\(Figures.count(count)) entries of the queue need attention.")
            }
            guard part.state != "sending", let queued = part.counts["queued"], queued > 0 else { return nil }
            return problem(
                .warning, "The queue holds \(Figures.count(queued)) requests: \(part.state.cut(to: 120)).")
        }
    }

    // MARK: Durations

    /// Operations whose 95th percentile of the last 10 s is more than 1 s, and three times that of 5 min.
    private static func slowOperations(_ snapshot: Snapshot) -> [Problem] {
        guard let now = snapshot.metrics.windows[.tenSeconds],
            let before = snapshot.metrics.windows[.fiveMinutes]
        else { return [] }
        let slow = now.operations.compactMap { operation, metrics -> (String, Duration, Duration)? in
            guard let operation, metrics.durations.count >= 20, let p95 = metrics.p95, p95 > .seconds(1),
                let usual = before.operations[operation]?.p50, p95 > usual * 3
            else { return nil }
            return (operation.id.cut(to: 120), p95, usual)
        }
        return slow.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.prefix(3).map { name, p95, usual in
            Problem(
                severity: .warning,
                text:
                    "\(name) is slow: 5 % of its calls took more than \(Figures.duration(p95)) in the last 10 s; "
                    + "half of those in 5 min took up to \(Figures.duration(usual)).", side: .upstream,
                subject: Subject(.operation, name))
        }
    }
}

extension FailureTally.Reason {
    fileprivate var isOfOpenCircuit: Bool { failure == .error(.circuitOpen) }

    /// `status 503`, or the name of the error.
    fileprivate var text: String {
        switch failure {
        case .status(let status): "status \(status)"
        case .error(let code): code.name
        }
    }
}
