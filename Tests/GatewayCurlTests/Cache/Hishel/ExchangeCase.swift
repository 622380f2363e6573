import Foundation
import GatewayCore
import GatewayTesting

@testable import GatewayResilience

/// Two requests for a URI and the response to the first one, made of a seed.
struct ExchangeCase: Encodable {
    let now: Int64
    let status: Int
    let reply: [[String]]
    let first: [[String]]
    let second: [[String]]
    let wait: Int

    init(_ random: SeededRandomSource) {
        func pick<Value>(_ values: [Value]) -> Value { values[Int(random.next() % UInt64(values.count))] }
        func chance(_ share: UInt64) -> Bool { random.next() % 100 < share }
        let now: Int64 = 1_767_225_600
        func date(_ offset: Int) -> String { CacheOrigin.date(now + Int64(offset)) }
        var reply: [[String]] = []
        if chance(90) { reply.append(["Date", date(pick([0, 0, 0, -5, -50, 20]))]) }
        if chance(75) {
            let count = pick([1, 1, 2, 3])
            let directives = [
                "max-age=\(pick([0, 1, 10, 60, 300]))", "max-age=60", "no-cache", "no-store", "private",
                "public", "must-revalidate", "s-maxage=100", "must-understand", "no-transform", "immutable",
                "stale-while-revalidate=30", "stale-if-error=30", "max-age=x", "max-age=\"60\"", "MAX-AGE=60",
                "foo=bar", "no-cache=\"x-a\"", "proxy-revalidate",
            ]
            reply.append(["Cache-Control", (0..<count).map { _ in pick(directives) }.joined(separator: ", ")])
        }
        if chance(30) { reply.append(["Expires", pick([date(60), date(-60), date(0), "0", date(300)])]) }
        if chance(20) { reply.append(["Age", pick(["0", "5", "50", "x", "500"])]) }
        if chance(40) { reply.append(["ETag", pick(["\"a\"", "W/\"a\""])]) }
        if chance(30) { reply.append(["Last-Modified", pick([date(-1000), date(-100_000), date(-10)])]) }
        if chance(25) { reply.append(["Vary", pick(["X-A", "*", "X-A, X-B", "x-b"])]) }
        var first: [[String]] = []
        if chance(60) { first.append(["X-A", pick(["1", "2"])]) }
        if chance(20) { first.append(["X-B", "1"]) }
        if chance(15) { first.append(["Authorization", "Basic YTpi"]) }
        var second = first.filter { _ in chance(90) }
        if first.contains(where: { $0[0] == "Authorization" }),
            !second.contains(where: { $0[0] == "Authorization" })
        {
            // Both have the same credential: hishel leaves keys to its callers.
            second.append(["Authorization", "Basic YTpi"])
        }
        if chance(25) {
            second.append([
                "Cache-Control",
                pick([
                    "no-cache", "max-age=0", "max-age=30", "min-fresh=20", "max-stale", "max-stale=20",
                    "no-store", "foo",
                ]),
            ])
        }
        if chance(5) { first.append(["Cache-Control", "no-store"]) }
        self.now = now
        status = pick([200, 200, 200, 200, 203, 204, 301, 302, 307, 403, 404, 410, 500, 503, 206, 299])
        self.reply = reply
        self.first = first
        self.second = second
        wait = pick([0, 1, 5, 9, 30, 59, 61, 100, 299, 400, 10_000])
    }

    func fields(_ pairs: [[String]]) -> HTTPFields {
        var fields = HTTPFields()
        for pair in pairs { fields.append(HTTPField.Name(pair[0]), pair[1]) }
        return fields
    }

    /// What ours does with the second request.
    func decision() -> String {
        let received = Duration.seconds(now)
        let policy = CachePolicy()
        let decision = CacheDecision(policy: policy)
        let facts = ResponseFacts(status: status, fields: fields(reply), received: received)
        let request = CacheRequest(isHead: false, fields: fields(first))
        var heads: [CachedHead] = []
        if CacheStorage.isStorable(
            request, status: status, fields: fields(reply), facts: facts, mode: .standard)
        {
            heads.append(
                CachedHead(
                    id: CachedHead.ID(1), status: status,
                    fields: CacheStorage.storable(fields(reply), received: received),
                    requested: received, received: received,
                    selecting: decision.selection.selecting(facts, of: request.fields), bodyBytes: 0,
                    isDecoded: false))
        }
        let answer = decision.decide(
            CacheRequest(isHead: false, fields: fields(second)), heads: heads, mode: .standard, budget: nil,
            now: (received + .seconds(wait)).milliseconds)
        switch answer {
        case .hit: return "hit"
        case .stale: return "stale"
        case .validate: return "validated"
        case .miss, .bypass, .unsatisfiable: return "sent"
        }
    }
}
