import GatewayCore
public import GatewayJSON
public import GatewayResilience

extension EngineHealth {
    /// The health as JSON, for a page such as `/readyz`. It contains the names of origins, issuers, clients, scopes and
    /// breakers, and no secret.
    ///
    /// ```json
    /// {"ready":true,"calls":3,"tokens":[{"label":"https://login.example.com/token my-service books:read",
    /// "credentials":1,"usable":1,"refreshing":0,"failed":0,"waiting":0,"valid_for_s":3541}]}
    /// ```
    /// Members without content are omitted. Durations are whole seconds.
    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "ready": .bool(isReady), "calls": .count(calls), "coalesced": .count(coalesced),
            "connections": .object(Self.members(of: connections.all)),
        ]
        func add(_ name: String, _ values: [JSONValue]) {
            if !values.isEmpty { members[name] = .array(values) }
        }
        add("obstacles", obstacles.map { .string($0) })
        add("tokens", tokens.map(\.json))
        add("origins", sorted(connections.origins) { .object(Self.members(of: $0)) })
        add(
            "circuit_breakers",
            circuitBreakers.sorted { $0.key.description < $1.key.description }
                .filter { $0.value != .closed }
                .map { .object(["name": .string($0.key.description), "state": .string($0.value.rawValue)]) })
        add("rate_limits", rateLimits.map(\.json))
        add(
            "retry_budgets",
            sorted(retryBudgets) {
                .object(["retries": .count($0.retries), "exhausted": .bool($0.isExhausted)])
            })
        if let bulkhead {
            members["bulkhead"] = .object(Self.members(of: bulkhead.all))
            add("bulkheads", sorted(bulkhead.origins) { .object(Self.members(of: $0)) })
        }
        if let hedging {
            members["hedging"] = .object([
                "requests": .count(hedging.requests), "hedges": .count(hedging.hedges),
                "wins": .count(hedging.wins), "refused": .count(hedging.refusals),
            ])
        }
        if let network { members["network"] = .string(network.quality.name) }
        add("parts", parts.map(\.json))
        return .object(members)
    }

    /// The values by origin, in order, each with its origin.
    private func sorted<Value>(
        _ values: [Origin: Value], _ json: (Value) -> JSONValue
    ) -> [JSONValue] {
        values.map { (origin: $0.key.description, value: $0.value) }.sorted { $0.origin < $1.origin }
            .map { origin, value in
                guard case .object(var members) = json(value).content else { return json(value) }
                members["origin"] = .string(origin)
                return .object(members)
            }
    }

    private static func members(of counts: TransportStatistics.Counts) -> [String: JSONValue] {
        [
            "open": .count(counts.connections), "active": .count(counts.active),
            "waiting": .count(counts.waiting),
        ]
    }

    private static func members(of counts: BulkheadStatistics.Counts) -> [String: JSONValue] {
        [
            "limit": .count(counts.limit), "in_use": .count(counts.inUse),
            "waiting": .count(counts.waitingCount),
        ]
    }
}

extension TokenHealth {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "label": .string(label), "credentials": .count(credentials), "usable": .count(usable),
            "refreshing": .count(refreshing), "failed": .count(failed), "waiting": .count(waiting),
        ]
        if let validFor { members["valid_for_s"] = .seconds(validFor) }
        if let failure {
            members["failure"] = .string(failure.code.description)
            members["permanent"] = .bool(failure.isPermanent)
            if let wait = failure.retryAfter { members["retry_after_s"] = .seconds(wait) }
        }
        return .object(members)
    }
}

extension RateGate.Limit {
    fileprivate var json: JSONValue {
        .object([
            "origin": .string(origin.description), "name": .string(name), "closed_for_s": .seconds(closedFor),
            "waiting": .count(waiting),
        ])
    }
}

extension PartHealth {
    fileprivate var json: JSONValue {
        var members = counts.mapValues { JSONValue.count($0) }
        members["name"] = .string(name)
        members["state"] = .string(state)
        members["ready"] = .bool(isReady)
        return .object(members)
    }
}

extension JSONValue {
    fileprivate static func count(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
    /// Whole seconds, rounded down.
    fileprivate static func seconds(_ value: Duration) -> JSONValue {
        .number(JSONNumber(value.components.seconds))
    }
}
