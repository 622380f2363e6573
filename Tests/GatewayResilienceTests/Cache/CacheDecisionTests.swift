import GatewayCore
import Testing

@testable import GatewayResilience

/// The pure decision, at the limits of its rules.
@Suite struct CacheDecisionTests {
    /// A stored response with an entity tag, and a request for it.
    struct Row: Sendable, CustomTestStringConvertible {
        let answer: String
        /// `Cache-Control` of the stored response.
        let stored: String
        /// `Cache-Control` of the request.
        var asked = ""
        /// In seconds.
        let age: Int
        var mode = CacheMode.standard
        var budget: Duration?
        var fields: HTTPFields = [:]
        var isHead = false

        var testDescription: String { "\(answer): \(stored) / \(asked) \(fields.count) at \(age), \(mode)" }
    }

    static let revalidating = "max-age=1, stale-while-revalidate=10"

    static let rows = [
        Row(answer: "bypass", stored: "max-age=10", age: 1, mode: .noStore),
        Row(answer: "bypass", stored: "max-age=10", asked: "no-store", age: 1),
        Row(answer: "hit", stored: "max-age=10", asked: "no-store, only-if-cached", age: 1),
        Row(answer: "validate", stored: "max-age=10", age: 1, mode: .noCache),
        Row(answer: "miss", stored: "max-age=10", age: 1, mode: .reload),
        Row(answer: "validate", stored: "max-age=10", age: 1, mode: .networkFirst),
        Row(answer: "hit", stored: "max-age=10", asked: "only-if-cached", age: 1, mode: .networkFirst),
        Row(answer: "stale", stored: revalidating, age: 11),
        Row(answer: "validate", stored: revalidating, age: 12),
        Row(answer: "validate", stored: revalidating, asked: "max-age=2", age: 5),
        Row(answer: "unsatisfiable", stored: revalidating, asked: "only-if-cached", age: 5),
        Row(answer: "validate", stored: revalidating, age: 5, mode: .noCache),
        Row(answer: "validate", stored: revalidating, age: 20, budget: .seconds(60)),
        Row(answer: "stale", stored: "max-age=1", age: 20, budget: .seconds(60)),
        Row(answer: "validate", stored: "max-age=10", asked: "max-age=0", age: 0),
        Row(answer: "hit", stored: "max-age=10", asked: "max-age=5", age: 5),
        Row(answer: "validate", stored: "max-age=10", asked: "min-fresh=x", age: 0),
        Row(answer: "hit", stored: "max-age=100, must-revalidate", asked: "max-age=1, max-stale=10", age: 5),
        Row(answer: "validate", stored: "max-age=1", asked: "max-stale", age: 5, mode: .noCache),
        Row(answer: "validate", stored: "max-age=1", asked: "max-stale, min-fresh=1", age: 5),
        Row(answer: "hit", stored: "max-age=100", asked: "max-age=10, max-stale=20", age: 30),
        Row(answer: "validate", stored: "max-age=100", asked: "max-age=10, max-stale=20", age: 31),
        Row(answer: "miss", stored: "max-age=1", age: 5, fields: ["If-None-Match": "\"b\""]),
        Row(answer: "miss", stored: "max-age=1", age: 5, fields: [.range: "bytes=0-1"]),
        Row(answer: "miss", stored: "max-age=1", age: 5, isHead: true),
    ]

    @Test(arguments: rows)
    func theDecision(row: Row) {
        var fields = row.fields
        if !row.asked.isEmpty { fields.append("Cache-Control", row.asked) }
        let answer = CacheDecision(policy: CachePolicy()).decide(
            CacheRequest(isHead: row.isHead, fields: fields),
            heads: [Self.head(["Cache-Control": row.stored, "ETag": "\"a\""])], mode: row.mode,
            budget: row.budget, now: (Self.start + Int64(row.age)) * 1000)
        #expect(Self.name(answer) == row.answer)
    }

    @Test func theMostRecentResponseIsChosen() {
        let heads = [1, 3, 2].map { number in
            Self.head(
                ["Cache-Control": "max-age=60", "Date": "Sun, 06 Nov 1994 08:49:3\(number) GMT"], id: number)
        }
        let answer = CacheDecision(policy: CachePolicy()).decide(
            CacheRequest(isHead: false, fields: [:]), heads: heads, mode: .standard, budget: nil,
            now: Self.start * 1000)
        guard case .hit(let use) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(use.head.id == CachedHead.ID(3))
    }

    // MARK: Freshness

    @Test func theTimeOnTheWayIsAPartOfTheAge() {
        let use = Self.use(Self.head(["Age": "3", "Cache-Control": "max-age=60"], requested: Self.start - 5))
        #expect(use.age == 8_000)
    }

    @Test func theHeuristicHasItsLimits() {
        let old = "Tue, 06 Nov 1984 08:49:37 GMT"
        let later = "Sun, 06 Nov 1994 08:51:17 GMT"
        #expect(Self.use(Self.head(["Last-Modified": old])).lifetime == 86_400_000)
        #expect(Self.use(Self.head(["Last-Modified": later])).lifetime == 0)
        let refused = Self.head(["Last-Modified": old, "Cache-Control": "private"], status: 403)
        #expect(Self.use(refused).lifetime == 0)
        // An invalid max-age is explicit: the response is stale.
        let invalid = Self.head(["Last-Modified": old, "Cache-Control": "max-age=x"])
        #expect(Self.use(invalid).lifetime == 0)
    }

    @Test func negativeFreshnessIsOfNegativeResponsesOnly() {
        var policy = CachePolicy()
        policy.negative = .seconds(5)
        #expect(Self.use(Self.head([:], status: 404), policy).lifetime == 5_000)
        #expect(Self.use(Self.head([:]), policy).lifetime == 0)
    }

    // MARK: In place of errors

    @Test(
        arguments: [
            ([:], CacheMode.standard, true), (["Cache-Control": "no-cache"], .standard, false),
            ([.range: "bytes=0-1"], .standard, false), (["If-None-Match": "\"a\""], .standard, false),
            (["If-None-Match": "\"a\""], .networkFirst, false), ([:], .noCache, false), ([:], .reload, false),
            ([:], .noStore, false),
        ] as [(HTTPFields, CacheMode, Bool)])
    func theRequestDecidesAboutErrors(fields: HTTPFields, mode: CacheMode, isReplaced: Bool) {
        let use = Self.use(Self.head(["Cache-Control": "max-age=1, stale-if-error=60"]), age: 5)
        let request = CacheRequest(isHead: false, fields: fields)
        #expect(use.mayReplaceError(request, mode: mode, policy: CachePolicy()) == isReplaced)
    }

    @Test func someModesReplaceErrorsWithoutALimit() {
        let use = Self.use(Self.head(["Cache-Control": "max-age=1"]), age: 100_000)
        let request = CacheRequest(isHead: false, fields: [:])
        for (mode, isReplaced) in [
            (CacheMode.networkFirst, true), (.forceCache, true), (.standard, false),
        ] {
            #expect(use.mayReplaceError(request, mode: mode, policy: CachePolicy()) == isReplaced)
        }
    }

    // MARK: Storing

    @Test func whatIsStoredByItself() {
        func isStorable(_ status: Int, _ control: String) -> Bool {
            let fields: HTTPFields = ["Cache-Control": control]
            return CacheStorage.isStorable(
                CacheRequest(isHead: false, fields: [:]), status: status, fields: fields,
                facts: ResponseFacts(status: status, fields: fields, received: .zero), mode: .standard)
        }
        #expect(isStorable(302, "private") && isStorable(302, "public") && !isStorable(302, "x"))
        #expect(isStorable(200, "x") && !isStorable(200, "no-store"))
        #expect(!CacheStorage.invalidates(.trace, status: 200))
        #expect(CacheStorage.invalidates(HTTPMethod("PURGE"), status: 303))
    }

    // MARK: Answering from a stored response

    @Test func whatTheServerAnswers() {
        func canAnswer(_ fields: HTTPFields, isHead: Bool = false, status: Int = 200) -> Bool {
            StoredResponse.canAnswer(
                CacheRequest(isHead: isHead, fields: fields), from: Self.head([:], status: status))
        }
        #expect(canAnswer([.range: "bytes=0-1"]))
        #expect(!canAnswer([.range: "bytes=0-1"], isHead: true))
        #expect(!canAnswer([.range: "bytes=0-1"], status: 404))
        #expect(!canAnswer([.range: "bytes=0-1", "If-None-Match": "\"a\""]))
        #expect(!canAnswer([.range: "bytes=3-1"]) && !canAnswer([.range: "bytes=0-1, 3-4"]))
        #expect(!canAnswer(["If-Match": "\"a\""]))
        #expect(!canAnswer(["If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"]))
    }

    @Test func theConditionsOfTheCaller() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        func status(_ stored: HTTPFields, _ fields: HTTPFields, stored status: Int = 200) -> Int {
            StoredResponse.make(
                Self.use(Self.head(stored, status: status)), [1],
                to: CacheRequest(isHead: false, fields: fields), isValidated: false
            ).status
        }
        #expect(status(["Last-Modified": date], ["If-Modified-Since": date]) == 304)
        #expect(status(["Date": date], ["If-Modified-Since": date]) == 304)
        #expect(status(["Date": date], ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:36 GMT"]) == 200)
        #expect(status(["ETag": "\"a\""], ["If-None-Match": "\"a\""], stored: 404) == 404)
        #expect(status([:], [.range: "bytes=-0"]) == 416)
    }

    // MARK: -

    /// 1994-11-06T08:49:37Z.
    private static let start: Int64 = 784_111_777

    private static func head(
        _ fields: HTTPFields, status: Int = 200, requested: Int64 = start, id: UInt64 = 1
    ) -> CachedHead {
        CachedHead(
            id: CachedHead.ID(id), status: status, fields: fields, requested: .seconds(requested),
            received: .seconds(start), selecting: [:], bodyBytes: 1, isDecoded: false)
    }

    private static func use(
        _ head: CachedHead, _ policy: CachePolicy = CachePolicy(), age: Int64 = 0
    ) -> StoredUse {
        StoredUse(head, CacheDecision(policy: policy), now: (start + age) * 1000)
    }

    private static func name(_ answer: CacheAnswer) -> String {
        switch answer {
        case .hit: "hit"
        case .stale: "stale"
        case .validate: "validate"
        case .miss: "miss"
        case .unsatisfiable: "unsatisfiable"
        case .bypass: "bypass"
        }
    }
}
