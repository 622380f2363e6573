import GatewayCore
import GatewayJSON
import GatewayTelemetry

extension Snapshot {
    /// The tokens by label: those of the engines' health, and those of which only events are known.
    func writeTokens(_ detail: Detail, to writer: inout JSONWriter) {
        typealias Key = TokenLanes.LaneKey
        let lanes = shared.tokens.lanes
        var healths: [Key: TokenHealth] = [:]
        for token in tokens { healths[Key(label: token.label, isForSubjects: token.isForSubjects)] = token }
        let keys = Set(lanes.keys).union(healths.keys).sorted {
            ($0.label, $0.isForSubjects ? 1 : 0) < ($1.label, $1.isForSubjects ? 1 : 0)
        }
        writer.objects("tokens", keys, limit: detail.list) { writer, key in
            writer.text("label", key.label)
            writer.flag("subjects", key.isForSubjects)
            if let health = healths[key] {
                health.write(to: &writer)
            } else if let lane = lanes[key] {
                lane.writeValidity(at: now, to: &writer)
            }
            lanes[key]?.write(detail.tokenEvents, to: &writer)
        }
    }
}

extension TokenHealth {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.count("credentials", credentials)
        writer.count("usable", usable)
        writer.count("refreshing", refreshing)
        writer.count("failed", failed)
        writer.count("waiting", waiting)
        writer.milliseconds("valid_ms", validFor)
        guard let failure else { return }
        writer.object("failure") { writer in
            writer.text("error", failure.code.name)
            writer.flag("permanent", failure.isPermanent)
            writer.milliseconds("retry_ms", failure.retryAfter)
        }
    }
}

extension TokenLanes.Lane {
    /// What the events tell of a token that no engine knows.
    fileprivate func writeValidity(at now: UInt64, to writer: inout JSONWriter) {
        let rest = (expiry ?? 0).subtractingClamped(now)
        let isUsable = expiry.map { $0 > now } ?? false
        writer.count("usable", isUsable ? 1 : 0)
        if isUsable { writer.milliseconds("valid_ms", rest) }
    }

    fileprivate func write(_ eventCount: Int, to writer: inout JSONWriter) {
        writer.milliseconds("lifetime_ms", lifetime)
        writer.name("generation")
        writer.integer(generation)
        writer.text("reason", reason?.rawValue)
        writer.object("refreshes") { writer in
            for (reason, count) in refreshes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                writer.count(reason.rawValue, count)
            }
        }
        writer.objects("events", events.suffix(eventCount)) { $1.write(to: &$0) }
    }
}

extension TokenLanes.Event {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.milliseconds("t", time)
        writer.text("kind", name)
        writer.name("generation")
        writer.integer(generation)
        writer.count("waiting", waiting)
        writer.text("reason", reason?.rawValue)
        writer.milliseconds("lifetime_ms", lifetime)
        writer.milliseconds("took_ms", took)
        writer.milliseconds("retry_ms", retryAfter)
        if let isPermanent { writer.flag("permanent", isPermanent) }
        guard let cause else { return }
        writer.text("error", cause.code.name)
        writer.count("status", cause.status)
        writer.text("server_error", cause.serverCode)
    }
}
