/// The role of a node in a document, which distinguishes keywords from names and data.
enum NodeRole: Equatable {
    /// An object with keywords.
    case object(ObjectKind)
    /// An array of such objects.
    case list(ObjectKind)
    /// A map of such objects. The document chooses the keys: a property can have the name of a keyword.
    case map(ObjectKind)
    /// Maps of such objects, by names.
    case maps(ObjectKind)
    /// The value of a keyword that has no keywords itself. It can be a reference as a whole.
    case value
    /// An example, a default or an allowed value. Keywords and references in it have no meaning.
    case data
    /// Extensions, and files whose kind is not known: any member may be an object with keywords.
    case unknown

    /// The role of a member.
    @inline(never)
    func member(_ key: String) -> NodeRole {
        switch self {
        case .object(let kind): KeywordTable.role(of: key, in: kind)
        case .map(let kind): .object(kind)
        case .maps(let kind): .map(kind)
        case .value, .data: self
        case .list, .unknown: .unknown
        }
    }

    /// The role of an element.
    var element: NodeRole {
        switch self {
        case .list(let kind): .object(kind)
        case .value, .data: self
        case .object, .map, .maps, .unknown: .unknown
        }
    }

    /// Whether an object in this place can be one of the kind.
    func canBe(_ kind: ObjectKind) -> Bool { self == .object(kind) || self == .unknown }
}

extension KeywordTable {
    /// The role of a keyword's value.
    static func role(of key: String, in kind: ObjectKind) -> NodeRole {
        keywords(of: kind)[key]?.role ?? .unknown
    }
}
