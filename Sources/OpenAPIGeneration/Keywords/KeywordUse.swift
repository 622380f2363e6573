/// The kind of value of a keyword, and how the keyword is handled.
///
/// Some initializers are not inlined. Why: inlining them in the tables of keywords makes release builds slower.
struct KeywordUse {
    enum Handling {
        case read
        /// It does not affect how calls are made or decoded, or only the server checks it. Ignored without a
        /// diagnostic.
        case ignored
        /// It is not supported, with this consequence. Empty arrays and objects are not reported.
        case unsupported(Diagnostic.Rule, String)
        /// It is read, but supported only in part, with this consequence.
        case partial(Diagnostic.Rule, String)
        /// Nothing is generated for its members, which are named by this noun.
        case eachUnsupported(Diagnostic.Rule, String)
    }

    let role: NodeRole
    let handling: Handling
    /// The versions of OpenAPI that define it.
    private(set) var versions = OpenAPIVersion.v3_0...OpenAPIVersion.v3_2
    /// The forms of its value that not all of these versions define.
    private(set) var forms: [KeywordForm] = []
    /// Whether it has an effect in the other versions, too.
    private(set) var isAppliedInOthers = true

    @inline(never)
    private init(role: NodeRole, handling: Handling) {
        self.role = role
        self.handling = handling
    }

    /// Whether something is generated from it.
    var isRead: Bool {
        switch handling {
        case .read, .partial: true
        case .ignored, .unsupported, .eachUnsupported: false
        }
    }
}

extension KeywordUse {
    /// It is read; its value has no keywords.
    static let read = KeywordUse(role: .value, handling: .read)
    /// It is read; its value is data.
    static let data = KeywordUse(role: .data, handling: .read)
    static let ignored = unread(.unknown)
    static let example = unread(.data)

    /// It is read; its value is an object of this kind.
    static func object(_ kind: ObjectKind) -> Self { Self(role: .object(kind), handling: .read) }
    static func list(_ kind: ObjectKind) -> Self { Self(role: .list(kind), handling: .read) }
    static func map(_ kind: ObjectKind) -> Self { Self(role: .map(kind), handling: .read) }
    static func maps(_ kind: ObjectKind) -> Self { Self(role: .maps(kind), handling: .read) }

    /// It is ignored, although its value has keywords or is data.
    static func unread(_ role: NodeRole) -> Self { Self(role: role, handling: .ignored) }

    static func unsupported(
        _ rule: Diagnostic.Rule, _ consequence: String, _ role: NodeRole = .unknown
    ) -> Self {
        Self(role: role, handling: .unsupported(rule, consequence))
    }

    static func partial(_ role: NodeRole, _ rule: Diagnostic.Rule, _ consequence: String) -> Self {
        Self(role: role, handling: .partial(rule, consequence))
    }

    static func eachUnsupported(_ rule: Diagnostic.Rule, _ noun: String) -> Self {
        Self(role: .unknown, handling: .eachUnsupported(rule, noun))
    }

    /// The first version that defines it.
    @inline(never)
    func since(_ version: OpenAPIVersion, isAppliedBefore: Bool = true) -> Self {
        var result = self
        result.versions = version...versions.upperBound
        result.isAppliedInOthers = isAppliedBefore
        return result
    }

    /// The forms of its value that not all versions define.
    func with(_ forms: KeywordForm...) -> Self {
        var result = self
        result.forms = forms
        return result
    }

    /// The last version that defines it.
    func until(_ version: OpenAPIVersion) -> Self {
        var result = self
        result.versions = versions.lowerBound...version
        return result
    }
}
