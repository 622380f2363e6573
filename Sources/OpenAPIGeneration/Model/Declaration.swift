/// A schema that becomes a Swift type.
struct Declaration {
    enum Kind {
        case object(ObjectDeclaration)
        case enumeration(EnumerationDeclaration)
        case union(UnionDeclaration)
        /// A union whose branches cannot be distinguished: `JSONValue`.
        case opaque
    }

    let pointer: JSONPointer
    let position: SourcePosition
    var annotations: Annotations
    var kind: Kind
}

/// An object with known properties.
struct ObjectDeclaration {
    struct Property {
        let name: String
        let isRequired: Bool
        let schema: Schema
        let position: SourcePosition
    }

    /// Required properties in the order of `required`, then the others by name. Independent of the order of keys.
    var properties: [Property]
    /// The schema of additional properties. Nil if they are dropped.
    var additional: Schema?
}

/// An enum. New values may be added in later versions.
struct EnumerationDeclaration {
    enum Values {
        case strings([String])
        case integers([Int64])
    }

    struct Label {
        /// The name of the value in the document, if any.
        var name: String?
        var text: String?
    }

    var values: Values
    /// One for each value.
    var labels: [Label]
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
    }

    var branches: [Branch]
    var discriminator: Discriminator?
    /// The places of the branches' schemas.
    var parts: [RawSchema.Part] = []
}
