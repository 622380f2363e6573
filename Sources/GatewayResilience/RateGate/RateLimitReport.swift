import GatewayCore

/// The rate limits that the fields of a response report.
///
/// Three dialects are supported. The first one that is present is used:
/// 1. `RateLimit-Policy` and `RateLimit` as structured fields (draft-ietf-httpapi-ratelimit-headers-08 to 11);
/// 2. `RateLimit-Limit`, `-Remaining` and `-Reset` (drafts up to 06), and the dictionary of draft 07;
/// 3. `X-RateLimit-Limit`, `-Remaining` and `-Reset`.
struct RateLimitReport {
    /// The identity of a limit within an origin and a credential.
    struct Name: Hashable {
        /// The name of the policy; empty if the server does not name it.
        var policy = ""
        /// The partition, in Base64.
        var partition: String?
    }

    /// One limit.
    struct Limit {
        var name = Name()
        /// The number of requests that the server accepts in a window, 1 or more.
        var quota: Double?
        /// The length of the window; `nil` if not given.
        var window: Duration?
        /// The number of requests that remain.
        var remaining: Double?
        /// The time until the quota is renewed, at most a day.
        var reset: Duration?
        /// Whether it comes from `X-RateLimit-*` fields, whose meaning is not standardized.
        var isLegacy = false

        var isExhausted: Bool { remaining.map { $0 < 1 } ?? false }
    }

    private(set) var limits: [Limit] = []
    /// The value of `Retry-After`, at most a day.
    private(set) var retryAfter: Duration?
    /// The fields whose values are malformed or out of range. They are ignored.
    private(set) var ignored: [String] = []

    private let unixTime: Duration
    /// The maximum accepted wait.
    static let longest = RetryAfter.longest
    /// The maximum accepted window in seconds: a leap year.
    private static let longestWindow = 366 * 86_400.0
    private static let mostPolicies = 16

    init(_ fields: RateLimitFields, unixTime: Duration) {
        self.unixTime = unixTime
        if let text = fields[.retryAfter] { readRetryAfter(text) }
        readStructured(fields)
        if limits.isEmpty {
            let windows = fields[.policy].flatMap(StructuredField.list) ?? []
            readSeparate(
                fields, .limit, .remaining, .reset, windows, name: fields[.name], isLegacy: false)
        }
        if limits.isEmpty {
            readSeparate(
                fields, .legacyLimit, .legacyRemaining,
                fields[.legacyResetAfter] == nil ? .legacyReset : .legacyResetAfter, [],
                name: fields[.legacyResource] ?? fields[.legacyBucket], isLegacy: true)
        }
    }

    // MARK: Retry-After

    private mutating func readRetryAfter(_ text: String) {
        let wait = RetryAfter.parse(text, unixTime: unixTime)
        // A longer wait is clamped to the maximum, and a negative one to zero.
        let isAbsurd = wait.map { $0 >= Self.longest && text.trimmingHTTPWhitespace() != "86400" } ?? true
        guard let wait, !isAbsurd, !text.trimmingHTTPWhitespace().hasPrefix("-") else {
            return ignore(.retryAfter)
        }
        retryAfter = wait
    }

    // MARK: Structured fields

    private mutating func readStructured(_ fields: RateLimitFields) {
        var policies: [StructuredItem] = []
        if let text = fields[.policy] {
            if let list = StructuredField.list(text), list.count <= Self.mostPolicies {
                // Up to draft 07 a policy is a number.
                policies = list.filter { $0.value.text != nil }
            } else {
                ignore(.policy)
            }
        }
        var states: [StructuredItem] = []
        if let text = fields[.state] {
            if let list = StructuredField.list(text), list.count <= Self.mostPolicies,
                list.allSatisfy({ $0.value.text != nil })
            {
                states = list
            } else if let dictionary = StructuredField.dictionary(text) {
                readDictionary(dictionary, fields[.policy].flatMap(StructuredField.list) ?? [])
                return
            } else {
                ignore(.state)
            }
        }
        for state in states {
            let partition = state.parameters["pk"]
            let policy = policies.first { policy in
                let own = policy.parameters["pk"]
                return policy.value.text == state.value.text
                    && (own == nil || partition == nil || own == partition)
            }
            // A limit in another unit than requests is not renewed by time alone.
            if let unit = policy?.parameters["qu"], unit.text != "requests" { continue }
            var limit = Limit(name: Self.name(of: state))
            if partition == nil, let policy { limit.name.partition = Self.name(of: policy).partition }
            guard let remaining = state.parameters["r"]?.number, remaining >= 0 else {
                ignore(.state)
                continue
            }
            limit.remaining = remaining
            if let seconds = state.parameters["t"] {
                limit.reset = seconds.number.flatMap { Self.duration($0) }
                if limit.reset == nil { ignore(.state) }
            }
            if let policy { readQuota(of: policy, into: &limit) }
            limits.append(limit)
        }
        for policy in policies
        where policy.parameters["qu"].map({ $0.text == "requests" }) ?? true
            && !states.contains(where: { $0.value.text == policy.value.text })
        {
            var limit = Limit(name: Self.name(of: policy))
            readQuota(of: policy, into: &limit)
            limits.append(limit)
        }
    }

    private mutating func readQuota(of policy: StructuredItem, into limit: inout Limit) {
        guard let quota = policy.parameters["q"]?.number, quota >= 0 else { return ignore(.policy) }
        if quota >= 1 { limit.quota = quota }
        guard let window = policy.parameters["w"] else { return }
        limit.window = Self.window(window)
        if limit.window == nil { ignore(.policy) }
    }

    private static func name(of item: StructuredItem) -> Name {
        var name = Name(policy: item.value.text ?? "")
        if case .bytes(let partition)? = item.parameters["pk"] { name.partition = partition }
        return name.policy.utf8.count <= 64 ? name : Name()
    }

    /// Draft 07: `limit=100, remaining=50, reset=30`.
    private mutating func readDictionary(_ members: [String: StructuredItem], _ windows: [StructuredItem]) {
        guard let remaining = members["remaining"]?.number, remaining >= 0 else { return ignore(.state) }
        var limit = Limit()
        limit.remaining = remaining
        if let item = members["limit"] {
            guard let quota = item.number, quota >= 0 else { return ignore(.state) }
            if quota >= 1 { limit.quota = quota }
            limit.window = Self.window(of: quota, windows)
        }
        if let item = members["reset"] {
            guard let seconds = item.number, let reset = Self.duration(seconds) else { return ignore(.state) }
            limit.reset = reset
        }
        limits.append(limit)
    }

    // MARK: Separate fields

    private mutating func readSeparate(
        _ fields: RateLimitFields, _ quota: RateLimitFields.Name, _ remaining: RateLimitFields.Name,
        _ reset: RateLimitFields.Name, _ windows: [StructuredItem], name: String?, isLegacy: Bool
    ) {
        var limit = Limit(isLegacy: isLegacy)
        if let name, (1...64).contains(name.utf8.count) { limit.name.policy = name }
        if let text = fields[quota] {
            if let number = Self.number(text), number >= 0 {
                if number >= 1 { limit.quota = number }
                // `100, 100;w=60` is the form of early drafts.
                let list = text.utf8.contains(UInt8(ascii: ";")) ? StructuredField.list(text) ?? [] : []
                limit.window = Self.window(of: number, list + windows)
            } else {
                ignore(quota)
            }
        }
        if let text = fields[remaining] {
            limit.remaining = Self.number(text).flatMap { $0 >= 0 ? $0 : nil }
            if limit.remaining == nil { ignore(remaining) }
        }
        if let text = fields[reset] {
            limit.reset = Self.number(text).flatMap { self.time($0) }
            if limit.reset == nil { ignore(reset) }
        }
        if limit.quota != nil || limit.remaining != nil { limits.append(limit) }
    }

    /// The number that a value consists of or begins with.
    private static func number(_ text: String) -> Double? {
        let digits = text.utf8
        // Fast path: most values are one number.
        if (1...15).contains(digits.count), digits.allSatisfy({ $0 &- 0x30 < 10 }), let number = Int64(text) {
            return Double(number)
        }
        return StructuredField.list(text.trimmingHTTPWhitespace())?.first?.number
    }

    /// The window of the policy with a quota.
    private static func window(of quota: Double?, _ policies: [StructuredItem]) -> Duration? {
        guard let quota, !policies.isEmpty else { return nil }
        return policies.first { $0.number == quota && $0.parameters["w"] != nil }
            .flatMap { $0.parameters["w"].flatMap(window) }
    }

    private static func window(_ value: StructuredItem.Value) -> Duration? {
        guard let seconds = value.number, seconds > 0, seconds <= longestWindow else { return nil }
        return .seconds(seconds)
    }

    private static func duration(_ seconds: Double) -> Duration? {
        guard seconds >= 0, seconds <= longest / .seconds(1) else { return nil }
        return .seconds(seconds)
    }

    /// The time until a reset: a number above 10⁹ is seconds since 1970, any other number the remaining
    /// seconds.
    private func time(_ number: Double) -> Duration? {
        guard number > 1e9 else { return Self.duration(number) }
        return Self.duration(max(0, number - unixTime / .seconds(1)))
    }

    private mutating func ignore(_ field: RateLimitFields.Name) {
        if !ignored.contains(field.text) { ignored.append(field.text) }
    }
}
