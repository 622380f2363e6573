import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// Fields of responses that occur more than once, or hold other bytes than UTF-8.
@Suite struct CacheFieldTests {
    private func answered(expires values: [String]) async throws -> [String] {
        let clock = ManualClock()
        var fields: HTTPFields = [.date: HTTPDate.format(clock.unixTime.wholeSeconds)]
        for value in values { fields.append("Expires", value) }
        let bench = CacheBench(CacheBench.counting(fields), clock: clock)
        return [try await bench.send().bodyText, try await bench.send().bodyText]
    }

    @Test func expiresCountsOnceAndIsStaleIfItDiffers() async throws {
        let now = ManualClock().unixTime.wholeSeconds
        let (one, two) = (HTTPDate.format(now + 100), HTTPDate.format(now + 200))
        #expect(try await answered(expires: [one, one]) == ["0", "0"])
        #expect(try await answered(expires: [one, two]) == ["0", "1"])
        // Only Retry-After may have another zone.
        let other = one.replacingGMT(by: "+0000")
        #expect(try await answered(expires: [other]) == ["0", "1"])
    }

    @Test func validatorsCountOnceAndNotIfTheyDiffer() async throws {
        let cases: [([String], String?)] = [(["\"a\"", "\"a\""], "\"a\""), (["\"a\"", "\"b\""], nil)]
        for (tags, condition) in cases {
            var fields: HTTPFields = ["Cache-Control": "max-age=0"]
            for tag in tags { fields.append("ETag", tag) }
            let bench = CacheBench(CacheBench.counting(fields))
            try await bench.send()
            try await bench.send()
            #expect(bench.transport.requests.last?.fields["If-None-Match"] == condition)
        }
    }

    /// A file would keep another value.
    @Test func otherBytesAreNotStoredAsText() async throws {
        var fields: HTTPFields = ["Cache-Control": "max-age=60"]
        fields.append(HTTPField("X-Name", bytes: [0xE9]))
        let credential = CacheCredential("k", account: "me")
        let memory = CacheBench(CacheBench.counting(fields))
        try await memory.send(credentials: credential)
        let stored = try await memory.send(credentials: credential)
        #expect(stored.bodyText == "0")
        #expect(stored.fields.first { $0.name == "X-Name" }?.bytes == [0xE9])
        let durable = CacheBench(CacheBench.counting(fields), store: RecordingStore(isDurable: true))
        try await durable.send(credentials: credential)
        #expect(try await durable.send(credentials: credential).bodyText == "1")
    }

    @Test func equalLimitsCountOnce() {
        let fields = RateLimitFields(
            twice(["Retry-After": "5", "X-RateLimit-Limit": "9", "X-RateLimit-Remaining": "0"]))
        let report = RateLimitReport(fields, unixTime: .zero)
        #expect(report.retryAfter == .seconds(5))
        #expect(report.limits.map(\.quota) == [9] && report.limits.map(\.remaining) == [0])
        #expect(report.ignored.isEmpty)
        var different = twice(["Retry-After": "5"])
        different.append(.retryAfter, "6")
        let other = RateLimitReport(RateLimitFields(different), unixTime: .zero)
        #expect(other.retryAfter == nil && other.ignored == ["Retry-After"])
    }

    private func twice(_ fields: HTTPFields) -> HTTPFields {
        var twice = fields
        for field in fields { twice.append(field) }
        return twice
    }
}

extension String {
    fileprivate func replacingGMT(by zone: String) -> String { String(dropLast(3)) + zone }
}
