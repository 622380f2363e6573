import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// What the fields of real servers mean. The wall clock shows 2026-01-01T00:00:00Z.
@Suite struct RateLimitDialectTests {
    /// A response, and what a gate with the standard policy does.
    struct Case: Sendable, CustomTestStringConvertible {
        let server: String
        let status: Int
        let fields: HTTPFields
        /// The gates that close: name, and seconds (`-` if the server names no time).
        var closes: [String] = []
        /// Names, quotas and windows in seconds of the limits: `core 60/-`.
        var limits: [String] = []
        var ignored: [String] = []

        var testDescription: String { server }
    }

    private static let now = 1_767_225_600

    static let cases = [
        Case(
            server: "GitHub, primary limit", status: 403,
            fields: [
                "X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1767226200",
                "X-RateLimit-Used": "60", "X-RateLimit-Resource": "core",
            ], closes: ["core 600"], limits: ["core 60/-"]),
        Case(
            server: "GitHub, secondary limit", status: 403,
            fields: [
                "Retry-After": "60", "X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4987",
                "X-RateLimit-Reset": "1767226200", "X-RateLimit-Resource": "core",
            ], closes: [" 60"], limits: ["core 5000/-"]),
        Case(
            server: "GitHub, no permission", status: 403,
            fields: [
                "X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4986",
                "X-RateLimit-Reset": "1767226200",
                "X-RateLimit-Resource": "core",
            ], limits: ["core 5000/-"]),
        Case(
            server: "GitHub, the last of a quota", status: 200,
            fields: [
                "X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1767226200",
                "X-RateLimit-Resource": "core",
            ], limits: ["core 5000/-"]),
        Case(
            server: "GitLab", status: 429,
            fields: [
                "RateLimit-Limit": "60", "RateLimit-Name": "throttle_authenticated_web",
                "RateLimit-Observed": "61", "RateLimit-Remaining": "0", "RateLimit-Reset": "1767225630",
                "RateLimit-ResetTime": "Thu, 01 Jan 2026 00:00:30 GMT", "Retry-After": "30",
            ], closes: ["throttle_authenticated_web 30"], limits: ["throttle_authenticated_web 60/-"]),
        Case(
            server: "Stripe", status: 429,
            fields: ["Stripe-Rate-Limited-Reason": "global-rate", "Request-Id": "req_1"], closes: [" -"]),
        Case(server: "Slack", status: 429, fields: ["retry-after": "30"], closes: [" 30"]),
        Case(
            server: "draft 06", status: 200,
            fields: [
                "RateLimit-Limit": "100", "RateLimit-Remaining": "0", "RateLimit-Reset": "5",
                "RateLimit-Policy": "100;w=10",
            ], closes: [" 5"], limits: [" 100/10"]),
        Case(
            server: "draft 03, windows in the limit", status: 200,
            fields: [
                "RateLimit-Limit": "10, 10;w=1, 50;w=60", "RateLimit-Remaining": "9", "RateLimit-Reset": "1",
            ], limits: [" 10/1"]),
        Case(
            server: "Docker Hub", status: 429,
            fields: ["ratelimit-limit": "100;w=21600", "ratelimit-remaining": "0;w=21600"], closes: [" -"],
            limits: [" 100/21600"]),
        Case(
            server: "express-rate-limit, draft 07", status: 429,
            fields: [
                "RateLimit-Policy": "5;w=60", "RateLimit": "limit=5, remaining=0, reset=42",
                "Retry-After": "42",
            ], closes: [" 42"], limits: [" 5/60"]),
        Case(
            server: "express-rate-limit, draft 08", status: 200,
            fields: [
                "RateLimit-Policy": "\"100-in-1min\"; q=100; w=60; pk=:ZDQxZDhjZDk4:",
                "RateLimit": "\"100-in-1min\"; r=0; t=17",
            ], closes: ["100-in-1min 17"], limits: ["100-in-1min 100/60"]),
        Case(
            server: "draft 11, two policies", status: 200,
            fields: [
                "RateLimit-Policy": "\"burst\";q=100;w=60,\"daily\";q=1000;w=86400",
                "RateLimit": "\"burst\";r=50;t=30, \"daily\";r=0;t=7200",
            ], closes: ["daily 7200"], limits: ["burst 100/60", "daily 1000/86400"]),
        Case(
            server: "draft 11, partitions", status: 429,
            fields: [
                "RateLimit-Policy": "\"perapp\";q=10;w=1;pk=:YQ==:, \"perapp\";q=20;w=1;pk=:Yg==:",
                "RateLimit": "\"perapp\";r=0;t=1;pk=:Yg==:", "Retry-After": "2",
            ], closes: ["perapp 2"], limits: ["perapp 20/1"]),
        Case(
            server: "draft 11, units that time does not bring back", status: 200,
            fields: [
                "RateLimit-Policy":
                    "\"peak\";q=5;qu=\"concurrent-requests\", \"size\";q=100;qu=\"content-bytes\";w=1",
                "RateLimit": "\"peak\";r=0;t=1, \"size\";r=0;t=1",
            ]),
        Case(
            server: "flask-limiter", status: 429,
            fields: [
                "X-RateLimit-Limit": "20", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1767225602",
                "Retry-After": "1",
            ], closes: [" 2"], limits: [" 20/-"]),
        Case(
            server: "AWS API Gateway", status: 429,
            fields: ["x-amzn-RequestId": "1", "x-amzn-ErrorType": "TooManyRequestsException"], closes: [" -"]),
        Case(
            server: "Twitter", status: 429,
            fields: [
                "x-rate-limit-limit": "900", "x-rate-limit-remaining": "0",
                "x-rate-limit-reset": "1767226500",
            ], closes: [" 900"], limits: [" 900/-"]),
        Case(
            server: "Discord", status: 429,
            fields: [
                "X-RateLimit-Limit": "5", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1767225602.25",
                "X-RateLimit-Reset-After": "1.5", "X-RateLimit-Bucket": "abcd1234", "Retry-After": "1.2",
            ], closes: ["abcd1234 2"], limits: ["abcd1234 5/-"]),
        Case(
            server: "Kong", status: 200,
            fields: [
                "X-RateLimit-Limit-Minute": "10", "X-RateLimit-Remaining-Minute": "0",
                "RateLimit-Limit": "10",
                "RateLimit-Remaining": "0", "RateLimit-Reset": "42",
            ], closes: [" 42"], limits: [" 10/-"]),
        Case(server: "nginx limit_req", status: 429, fields: ["Server": "nginx"], closes: [" -"]),
        Case(server: "nginx limit_req, status 503", status: 503, fields: ["Server": "nginx"]),
        Case(server: "maintenance", status: 503, fields: ["Retry-After": "120"], closes: [" 120"]),
        Case(
            server: "maintenance, a date", status: 503,
            fields: ["Retry-After": "Thu, 01 Jan 2026 00:02:00 GMT"], closes: [" 120"]),
        Case(server: "another redirect", status: 301, fields: ["Retry-After": "120"]),
        Case(server: "no limit", status: 200, fields: ["Content-Type": "text/plain"]),
    ]

    @Test(arguments: cases)
    func realFieldsAreUnderstood(_ example: Case) {
        Self.check(example, .standard)
    }

    private static func check(_ example: Case, _ policy: RateGatePolicy) {
        let report = RateLimitReport(RateLimitFields(example.fields), unixTime: .seconds(now))
        let signal = RateLimitSignal(report, status: example.status, policy: policy)
        let closes = signal.closings.map { "\($0.name.policy) \($0.wait.map(Self.seconds) ?? "-")" }
        #expect(closes == example.closes)
        let limits = report.limits.map { limit in
            "\(limit.name.policy) \(limit.quota.map { "\(Int($0))" } ?? "-")/\(limit.window.map(Self.seconds) ?? "-")"
        }
        #expect(limits == example.limits)
        #expect(report.ignored == example.ignored)
    }

    private static func seconds(_ duration: Duration) -> String {
        let seconds = duration / .seconds(1)
        return seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
    }

    /// Remaining 0 with status 200 in the fields without a standard closes a gate only if the policy says so.
    @Test func legacyFieldsAloneHoldNothingBackByDefault() {
        var example = Case(
            server: "", status: 200,
            fields: [
                "X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "9",
            ], limits: [" 10/-"])
        Self.check(example, .standard)
        example.closes = [" 9"]
        Self.check(example, .cautious)
        example.closes = []
        Self.check(example, RateGatePolicy(obeysRemaining: true))
    }

    @Test func aPolicyMayObeyLess() {
        let limited = Case(
            server: "", status: 200,
            fields: ["RateLimit-Limit": "10", "RateLimit-Remaining": "0", "RateLimit-Reset": "9"],
            limits: [" 10/-"])
        Self.check(limited, RateGatePolicy(obeysRemaining: false))
        let rejected = Case(server: "", status: 429, fields: ["Retry-After": "9"])
        Self.check(rejected, RateGatePolicy(statuses: [503]))
    }

    private static let absurd = [
        Case(
            server: "", status: 429, fields: ["Retry-After": "-5"], closes: [" -"], ignored: ["Retry-After"]),
        Case(
            server: "", status: 429, fields: ["Retry-After": "soon"], closes: [" -"], ignored: ["Retry-After"]
        ),
        Case(
            server: "", status: 429, fields: ["Retry-After": "NaN"], closes: [" -"], ignored: ["Retry-After"]),
        Case(
            server: "", status: 429, fields: ["Retry-After": "1e400"], closes: [" -"],
            ignored: ["Retry-After"]),
        Case(server: "", status: 503, fields: ["Retry-After": "86401"], ignored: ["Retry-After"]),
        Case(
            server: "", status: 429, fields: ["Retry-After": "99999999999999999999"], closes: [" -"],
            ignored: ["Retry-After"]),
        Case(
            server: "", status: 503, fields: ["Retry-After": "Fri, 02 Jan 2026 00:00:01 GMT"],
            ignored: ["Retry-After"]),
        Case(server: "the longest wait", status: 503, fields: ["Retry-After": "86400"], closes: [" 86400"]),
        Case(
            server: "milliseconds since 1970", status: 403,
            fields: [
                "X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1767225660000",
            ], closes: [" -"], limits: [" 10/-"], ignored: ["X-RateLimit-Reset"]),
        Case(
            server: "", status: 200,
            fields: ["RateLimit-Limit": "-10", "RateLimit-Remaining": "-1", "RateLimit-Reset": "-1"],
            ignored: ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"]),
        Case(
            server: "", status: 200,
            fields: [
                "RateLimit-Limit": "99999999999999999999", "RateLimit-Remaining": "nan",
                "RateLimit-Reset": "inf",
            ], ignored: ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"]),
        Case(
            server: "", status: 200, fields: ["RateLimit": "\"a\";r=0;t=90000"], limits: ["a -/-"],
            ignored: ["RateLimit"]),
        Case(server: "", status: 200, fields: ["RateLimit": "\"a\";r=-1;t=9"], ignored: ["RateLimit"]),
        Case(server: "", status: 200, fields: ["RateLimit": "\"a\";t=9"], ignored: ["RateLimit"]),
        Case(server: "", status: 200, fields: ["RateLimit": "\"a\";r=0;t=9,"], ignored: ["RateLimit"]),
        Case(server: "", status: 200, fields: ["RateLimit": "\"a;r=0;t=9"], ignored: ["RateLimit"]),
        Case(
            server: "", status: 200,
            fields: ["RateLimit-Policy": "\"a\";q=-1;w=5", "RateLimit": "\"a\";r=0;t=5"], closes: ["a 5"],
            limits: ["a -/-"], ignored: ["RateLimit-Policy"]),
        Case(
            server: "", status: 200,
            fields: ["RateLimit-Policy": "\"a\";q=1;w=0", "RateLimit": "\"a\";r=0;t=5"], closes: ["a 5"],
            limits: ["a 1/-"], ignored: ["RateLimit-Policy"]),
        Case(
            server: "too many policies", status: 200,
            fields: ["RateLimit": (0..<17).map { "\"p\($0)\";r=0;t=5" }.joined(separator: ", ")],
            ignored: ["RateLimit"]),
        Case(
            server: "a quota of nothing", status: 200,
            fields: ["RateLimit-Limit": "0", "RateLimit-Remaining": "0", "RateLimit-Reset": "5"],
            closes: [" 5"], limits: [" -/-"]),
        Case(server: "a reset alone", status: 200, fields: ["X-RateLimit-Reset": "5"]),
    ]

    @Test(arguments: absurd)
    func absurdValuesAreIgnored(_ example: Case) {
        Self.check(example, .standard)
    }

    /// Random bytes and changed fields of the cases: no trap, and no wait of more than a day.
    @Test func anythingIsSafe() {
        let values =
            Self.cases.flatMap { $0.fields.map(\.value) } + [
                "", " ", ",", ";", "a;", "1.", "-", ":", "@", "?",
            ]
        let names = RateLimitFields.Name.allCases.map(\.text)
        let random = SeededRandomSource(seed: TestSeed.value(1))
        for _ in 0..<SoakScale.rounds(2_000) {
            var fields = HTTPFields()
            for _ in 0..<random.int(in: 1..<5) {
                var bytes = Array(values[random.int(in: 0..<values.count)].utf8)
                for _ in 0..<random.int(in: 0..<3) where !bytes.isEmpty {
                    bytes[random.int(in: 0..<bytes.count)] = UInt8(random.int(in: 0x20..<0x7F))
                }
                let name = names[random.int(in: 0..<names.count)]
                fields.append(HTTPField.Name(name), String(decoding: bytes, as: UTF8.self))
            }
            let report = RateLimitReport(RateLimitFields(fields), unixTime: .seconds(Self.now))
            for status in [200, 403, 429, 503] {
                let signal = RateLimitSignal(report, status: status, policy: .cautious)
                for closing in signal.closings {
                    let wait = closing.wait ?? .zero
                    #expect(wait >= .zero && wait <= .seconds(86_400), "\(fields.map(\.value))")
                }
            }
        }
    }
}
