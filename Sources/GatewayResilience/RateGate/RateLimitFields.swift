import GatewayCore

/// The values of the response fields that concern rate limits.
struct RateLimitFields {
    /// The fields that are read.
    enum Name: Int, CaseIterable {
        case retryAfter, policy, state, limit, remaining, reset
        /// GitLab's name of the limit.
        case name
        case legacyLimit, legacyRemaining, legacyReset
        /// Discord's time until the reset.
        case legacyResetAfter
        /// GitHub's name of the limit.
        case legacyResource
        /// Discord's name of the limit.
        case legacyBucket

        /// The name of the field.
        var text: String {
            switch self {
            case .retryAfter: "Retry-After"
            case .policy: "RateLimit-Policy"
            case .state: "RateLimit"
            case .limit: "RateLimit-Limit"
            case .remaining: "RateLimit-Remaining"
            case .reset: "RateLimit-Reset"
            case .name: "RateLimit-Name"
            case .legacyLimit: "X-RateLimit-Limit"
            case .legacyRemaining: "X-RateLimit-Remaining"
            case .legacyReset: "X-RateLimit-Reset"
            case .legacyResetAfter: "X-RateLimit-Reset-After"
            case .legacyResource: "X-RateLimit-Resource"
            case .legacyBucket: "X-RateLimit-Bucket"
            }
        }
    }

    /// The names of ``Name``, and other spellings.
    private static let texts = Name.allCases.map(\.text) + others.map(\.text)
    private static let others: [(text: String, name: Name)] = [
        ("X-Rate-Limit-Limit", .legacyLimit), ("X-Rate-Limit-Remaining", .legacyRemaining),
        ("X-Rate-Limit-Reset", .legacyReset),
    ]

    // Inline, because the fields of every response are checked.
    private var values = InlineArray<13, String?>(repeating: nil)
    /// Whether there is a field besides `Retry-After`.
    private(set) var hasLimits = false

    init(_ fields: HTTPFields) {
        for index in fields.startIndex..<fields.endIndex {
            let field = fields[index]
            guard let name = Self.name(of: field.name) else { continue }
            if name != .retryAfter { hasLimits = true }
            // Equal lines are counted once.
            if values[name.rawValue] == field.value { continue }
            values[name.rawValue] = values[name.rawValue].map { "\($0), \(field.value)" } ?? field.value
        }
    }

    subscript(name: Name) -> String? { values[name.rawValue] }

    /// Whether there is no field.
    var isEmpty: Bool { !hasLimits && self[.retryAfter] == nil }

    private static func name(of field: HTTPField.Name) -> Name? {
        let bytes = field.rawName.utf8
        // Fast path: most names are rejected here.
        guard bytes.count >= 9, let first = bytes.first, first | 0x20 == 0x72 || first | 0x20 == 0x78 else {
            return nil
        }
        for index in 0..<texts.count where HTTPSyntax.equalIgnoringCase(texts[index], field.rawName) {
            return Name(rawValue: index) ?? others[index - Name.allCases.count].name
        }
        return nil
    }
}
