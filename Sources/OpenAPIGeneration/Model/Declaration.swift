/// A schema that becomes a Swift type of its own.
struct Declaration {
    enum Kind {
        case object(ObjectDeclaration)
        case enumeration(EnumerationDeclaration)
        case union(UnionDeclaration)
        /// A union whose branches cannot be told apart: any JSON value.
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

    /// In an order that does not depend on the order of keys: the required ones as `required` lists them, then
    /// the others by name.
    var properties: [Property]
    /// The schema of properties that are not listed; nil where they are not kept.
    var additional: Schema?
}

/// A closed list of values that may grow.
struct EnumerationDeclaration {
    enum Values {
        case strings([String])
        case integers([Int64])
    }

    struct Label {
        /// A name that the document gives the value.
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
        /// What the document calls it: a component's name or a title.
        let label: String?
        let position: SourcePosition
    }

    struct Discriminator {
        let property: String
        /// Value → branch offset, sorted by value.
        let values: [(value: String, branch: Int)]
        /// The branch for all other values, where the document says so.
        var fallback: Int?
    }

    var branches: [Branch]
    var discriminator: Discriminator?
    /// The places of the branches' own schemas, for what they say about their properties.
    var parts: [RawSchema.Part] = []
}
