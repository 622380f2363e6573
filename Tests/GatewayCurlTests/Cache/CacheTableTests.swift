import GatewayCore
import GatewayCurl
import GatewayResilience
import GatewayTesting
import Testing

/// RFC 9111, RFC 5861, RFC 8246 and the parts of RFC 9110 and RFC 6585 that concern a private cache, over HTTP.
@Suite(.timeLimit(.minutes(5))) struct CacheTableTests {
    static let rows =
        CacheRow.freshness + CacheRow.dates + CacheRow.ages + CacheRow.storing + CacheRow.requests
        + CacheRow.responses + CacheRow.varying + CacheRow.validating + CacheRow.invalidating
        + CacheRow.fieldRows + CacheRow.ranges + CacheRow.companions

    @Test func theTableIsComplete() {
        #expect(Self.rows.count >= 150)
        #expect(Set(Self.rows.map(\.testDescription)).count == Self.rows.count)
    }

    @Test(arguments: rows)
    func theRuleHolds(row: CacheRow) async throws {
        let clock = ManualClock()
        let start = clock.unixTime.wholeSeconds
        let index = Locked(0)
        let server = FaultServer { request in
            let number = index.withLock { index in
                index += 1
                return index
            }
            let method = String(request.line.prefix { $0 != " " })
            let now = clock.unixTime.wholeSeconds
            if number == 1 {
                return CacheOrigin.reply(row.status, row.reply, method: method, start: start, now: now)
            }
            if number == 2, let between = row.between {
                return CacheOrigin.reply(
                    between.status, between.reply, method: method, start: start, now: now)
            }
            if let answer = row.answer {
                return CacheOrigin.reply(answer.status, answer.lines, method: method, start: start, now: now)
            }
            let isConditional = request.value("if-none-match") ?? request.value("if-modified-since") != nil
            return CacheOrigin.reply(
                isConditional ? 304 : row.status, row.reply, method: method, start: start, now: now)
        }
        defer { server.stop() }
        var configuration = AsyncRequestEngine.Configuration()
        configuration.cache = HTTPCache()
        configuration.redirects.maximumHops = 0
        configuration.clock = clock
        configuration.deadline = nil
        configuration.retry.policy = ExponentialRetryPolicy(maximumAttempts: 1)
        let transport = CurlTransport()
        let engine = AsyncRequestEngine(transport: transport, configuration: configuration)
        func send(_ method: String, _ lines: [String]) async throws -> HTTPResponse {
            var fields = HTTPFields()
            for line in lines {
                let line = CacheOrigin.dated(line, clock.unixTime.wholeSeconds)
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                fields.append(
                    HTTPField.Name(String(parts[0])), String(parts[1].drop { $0 == " " }))
            }
            let request = try HTTPRequest(HTTPMethod(method), server.url + "/row?a=b", fields: fields)
            return try await engine.send(request, context: RequestContext(clock: clock))
        }
        _ = try await send("GET", row.first)
        if let between = row.between {
            clock.advance(by: .milliseconds(1))
            _ = try await send(between.method, between.lines)
        }
        clock.advance(by: .seconds(row.wait))
        let before = server.requests.count
        let response = try await send(row.method, row.second)
        let requests = server.requests.dropFirst(before)
        let own = Set(row.second.map { $0.prefix { $0 != ":" }.lowercased() })
        let conditions = ["if-none-match", "if-modified-since"].filter {
            !own.contains($0) && requests.last?.value($0) != nil
        }
        switch row.expects {
        case .hit: #expect(requests.isEmpty, "The origin saw the request.")
        case .sent: #expect(requests.count == 1 && conditions.isEmpty, "\(conditions)")
        case .validated: #expect(requests.count == 1 && !conditions.isEmpty)
        }
        let usual = row.expects == .sent ? row.answer?.status ?? row.status : row.answer?.status ?? row.status
        #expect(response.status == row.seen ?? (usual == 304 ? row.status : usual))
        for field in row.fields {
            if field.hasPrefix("!") {
                #expect(!response.fields.contains(HTTPField.Name(String(field.dropFirst()))), "\(field)")
            } else {
                let parts = CacheOrigin.dated(field, clock.unixTime.wholeSeconds)
                    .split(separator: ":", maxSplits: 1)
                let value = response.fields[HTTPField.Name(String(parts[0]))]
                #expect(value == String(parts[1].drop { $0 == " " }), "\(field)")
            }
        }
        if let body = row.body { #expect(try response.text() == body) }
        await transport.shutdown()
    }
}
