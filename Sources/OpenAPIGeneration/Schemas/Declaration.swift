/// A schema that becomes a Swift type.
struct Declaration {
    indirect enum Kind {
        case object(ObjectDeclaration)
        /// An array whose first elements have their own schemas. The properties are named by their positions, and
        /// `additional` is the schema of the other elements.
        case tuple(ObjectDeclaration)
        case enumeration(EnumerationDeclaration)
        case union(UnionDeclaration)
        /// A union whose branches cannot be distinguished: `JSONValue`.
        case opaque
    }

    let pointer: JSONPointer
    let position: SourcePosition
    @Indirect var annotations: Annotations
    var kind: Kind
}

extension Declaration {
    var union: UnionDeclaration? {
        if case .union(let union) = kind { return union }
        return nil
    }

    /// Whether it is an object that could keep properties that the document does not define.
    var dropsUnknown: Bool {
        guard case .object(let object) = kind else { return false }
        return object.additional == nil && object.unknown == .dropped
    }

    /// Keeps properties that the document does not define, unless it already does or forbids them.
    mutating func keepUnknown() {
        guard dropsUnknown, case .object(var object) = kind else { return }
        object.unknown = .kept
        kind = .object(object)
    }
}

/// An object with known properties.
struct ObjectDeclaration {
    struct Property {
        let name: String
        let isRequired: Bool
        var schema: Schema
        let position: SourcePosition
        /// The text of the only value that a discriminator can have in this object.
        var fixedValue: String?
    }

    /// Properties whose names match one of several patterns, but none of an earlier one of the list.
    struct Pattern {
        var texts: [String]
        var schema: Schema

        /// Whether a name can match both.
        func overlaps(_ other: Pattern) -> Bool {
            texts.contains { one in
                other.texts.contains { other in
                    guard let first = Self.start(of: one), let second = Self.start(of: other) else {
                        return true
                    }
                    return first.starts(with: second) || second.starts(with: first)
                }
            }
        }

        /// The letters, digits, `-` and `_` that each name that matches begins with. Nil: it can begin in other ways.
        private static func start(of pattern: String) -> ArraySlice<UInt8>? {
            let bytes = Array(pattern.utf8)
            guard bytes.first == UInt8(ascii: "^"), !bytes.contains(UInt8(ascii: "|")) else { return nil }
            let rest = bytes.dropFirst()
            let plain = rest.prefix { byte in
                byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF)
            }
            // The last one may be repeated any number of times.
            return "?*{".utf8.contains(rest.dropFirst(plain.count).first ?? 0) ? plain.dropLast() : plain
        }
    }

    /// How properties that the document does not define are handled, unless `additional` has their schema.
    enum Unknown {
        /// `additionalProperties: false`.
        case forbidden
        case dropped, kept
    }

    /// Required properties in the order of `required`, then the others by name. Independent of the order of keys.
    var properties: [Property]
    var patterns: [Pattern] = []
    /// The schema of additional properties, if the document has one or `additionalProperties: true`.
    var additional: Schema?
    var unknown = Unknown.dropped
}

/// An enum. New values may be added in later versions.
struct EnumerationDeclaration {
    struct Label {
        /// The name of the value in the document, if any.
        var name: String?
        var text: String?
    }

    /// As text.
    var values: [String]
    /// Whether the values are integers. Otherwise they are strings.
    let isInteger: Bool
    /// One for each value.
    var labels: [Label]

    /// The values in their order.
    var sorted: [String] {
        isInteger ? values.compactMap { Int64($0) }.sorted().map { String($0) } : values.sorted()
    }
}

/// One of several schemas.
struct UnionDeclaration {
    struct Branch {
        let schema: Schema
        /// The name in the document: a component name or a title.
        let label: String?
        let position: SourcePosition
    }

    struct Discriminator {
        let property: String
        /// Value → branch offset, sorted by value.
        let values: [(value: String, branch: Int)]
        /// The branch for all other values (`defaultMapping`).
        var fallback: Int?
        /// The key of the `mapping` for each branch that has exactly one.
        var keys = [Int: String]()
    }

    var branches: [Branch]
    var discriminator: Discriminator?
    /// Whether a value can match several branches.
    var isAnyOf = false
}
