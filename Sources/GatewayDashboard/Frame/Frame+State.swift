import GatewayCore
import GatewayJSON
import GatewayResilience
import GatewayTelemetry

extension Snapshot {
    /// How many of the values of each kind are sent. Fewer are sent where they take more room than there is.
    struct Detail: Sendable {
        let list: Int
        let tokenEvents: Int
        let log: Int

        /// Long lists and old lines of the log are left out first, then what happened to tokens.
        static let levels = [
            Detail(list: 50, tokenEvents: 12, log: 40), Detail(list: 50, tokenEvents: 12, log: 20),
            Detail(list: 20, tokenEvents: 12, log: 20), Detail(list: 10, tokenEvents: 12, log: 10),
            Detail(list: 10, tokenEvents: 8, log: 10), Detail(list: 20, tokenEvents: 4, log: 10),
            Detail(list: 10, tokenEvents: 2, log: 5), Detail(list: 2, tokenEvents: 1, log: 1),
        ]
    }

    private static let partLimit = 20

    /// The members of the state, as many as there is room for.
    func state(byteLimit: Int) -> [UInt8] {
        for detail in Detail.levels {
            let bytes = JSONText.members { writer in
                writeTokens(detail, to: &writer)
                writeState(detail, to: &writer)
            }
            if bytes.count <= byteLimit { return bytes }
        }
        return JSONText.members { writeHealth(to: &$0) }
    }

    /// What is wrong.
    func writeDiagnosis(to writer: inout JSONWriter) {
        let diagnosis = Diagnosis(self)
        writer.object("sentence") { diagnosis.sentence.write(to: &$0) }
        writer.objects("problems", diagnosis.problems) { $1.write(to: &$0) }
    }

    /// The state of the engines' layers.
    private func writeState(_ detail: Detail, to writer: inout JSONWriter) {
        writer.objects("breakers", breakers, limit: detail.list) { writer, breaker in
            writer.text("name", breaker.name)
            writer.text("state", breaker.state.rawValue)
            guard let note = shared.breakers.notes[breaker.name] else { return }
            writer.milliseconds("since_t", note.since)
            if breaker.state == .open {
                writer.milliseconds("open_ms", note.openUntil.map { $0 - min($0, now) })
            }
            writer.count("opened", note.opened)
        }
        writeLimits(detail, to: &writer)
        writeCache(to: &writer)
        writer.objects("parts", healths.flatMap(\.parts), limit: min(detail.list, Self.partLimit)) {
            $1.write(to: &$0)
        }
        if let network = healths.lazy.compactMap(\.network).first {
            writer.object("network") { writer in
                writer.text("quality", network.quality.name)
                writer.flag("interrupted", network.isInterrupted)
                writer.text("obstacle", network.obstacle?.rawValue)
            }
        }
        writer.objects("origins", origins, limit: detail.list) { writer, each in
            writer.text("origin", each.origin)
            writer.count("open", each.counts.connections)
            writer.count("active", each.counts.active)
            writer.count("waiting", each.counts.waiting)
        }
        writeHealth(to: &writer)
        writer.objects("log", shared.log.lines.suffix(detail.log)) { writer, line in
            writer.milliseconds("t", line.time)
            writer.text("severity", line.severity.rawValue)
            writer.text("text", line.text, limit: JSONWriter.textLimit)
            writer.about(line.subject)
        }
    }

    private func writeHealth(to writer: inout JSONWriter) {
        guard !healths.isEmpty else { return }
        writer.object("health") { writer in
            let obstacles = healths.flatMap(\.obstacles)
            writer.flag("ready", obstacles.isEmpty)
            writer.name("obstacles")
            writer.beginArray()
            for obstacle in obstacles.prefix(10) { writer.string(obstacle.cut(to: JSONWriter.textLimit)) }
            writer.endArray()
            writer.flag("ending", healths.contains(where: \.isEnding))
            writer.count("calls", healths.reduce(0) { $0 + $1.calls })
            writer.count("coalesced", healths.reduce(0) { $0 + $1.coalesced })
        }
    }

    private func writeLimits(_ detail: Detail, to writer: inout JSONWriter) {
        var bulkheads: [(origin: String?, counts: BulkheadStatistics.Counts)] = []
        for bulkhead in healths.compactMap(\.bulkhead) {
            bulkheads.append((nil, bulkhead.all))
            let origins = bulkhead.origins.map { (origin: "\($0.key)", counts: $0.value) }
            bulkheads += origins.sorted {
                ($1.counts.waitingCount, $0.origin) < ($0.counts.waitingCount, $1.origin)
            }.map { ($0.origin, $0.counts) }
        }
        writer.objects("bulkheads", bulkheads, limit: detail.list) { writer, bulkhead in
            writer.text("origin", bulkhead.origin)
            writer.count("limit", bulkhead.counts.limit)
            writer.count("in_use", bulkhead.counts.inUse)
            writer.count("waiting", bulkhead.counts.waitingCount)
            writer.milliseconds("hold_ms", bulkhead.counts.holdTime)
        }
        let budgets = healths.flatMap(\.retryBudgets).map { (origin: "\($0.key)", state: $0.value) }
            .sorted { $0.origin < $1.origin }
        writer.objects("budgets", budgets, limit: detail.list) { writer, budget in
            writer.text("origin", budget.origin)
            writer.count("retries", budget.state.retries)
            writer.flag("exhausted", budget.state.isExhausted)
        }
        let hedging = healths.compactMap(\.hedging)
        if !hedging.isEmpty {
            writer.object("hedging") { writer in
                writer.count("requests", hedging.reduce(0) { $0 + $1.requests })
                writer.count("hedges", hedging.reduce(0) { $0 + $1.hedges })
                writer.count("wins", hedging.reduce(0) { $0 + $1.wins })
                writer.count("refused", hedging.reduce(0) { $0 + $1.refusals })
                writer.count("drops", hedging.reduce(0) { $0 + $1.drops })
            }
        }
        writer.objects("rate_gates", healths.flatMap(\.rateLimits), limit: detail.list) { writer, limit in
            writer.text("origin", "\(limit.origin)")
            writer.text("name", limit.name)
            writer.milliseconds("closed_ms", limit.closedFor)
            writer.count("waiting", limit.waiting)
            guard limit.callsPerSecond.isFinite else { return }
            writer.name("per_second")
            writer.number((limit.callsPerSecond * 100).rounded() / 100)
        }
    }

    private func writeCache(to writer: inout JSONWriter) {
        var cache = shared.cache
        guard cache.total != CacheCounts.Lookups() else { return }
        let minute = cache.lastMinute(at: now)
        writer.object("cache") { writer in
            writer.object("1m") { minute.write(to: &$0) }
            writer.object("all") { cache.total.write(to: &$0) }
            writer.count("stored", cache.stored)
            writer.count("evicted", cache.evicted)
            writer.count("store_failures", cache.storeFailures)
        }
    }
}

extension CacheCounts.Lookups {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.count("hit", hit)
        writer.count("stale", stale)
        writer.count("miss", miss)
        writer.count("revalidated", revalidated)
    }
}

extension Diagnosis.Problem {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.text("severity", severity.rawValue)
        writer.text("text", text, limit: JSONWriter.textLimit)
        writer.text("side", side?.rawValue)
        writer.about(subject)
    }
}

extension PartHealth {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.text("name", name)
        writer.text("state", state)
        writer.flag("ready", isReady)
        writer.object("counts") { writer in
            for (name, count) in counts.sorted(by: { $0.key < $1.key }).prefix(10) {
                writer.count(name.cut(to: JSONWriter.nameLimit), count)
            }
        }
    }
}
