extension RawSchema {
    /// A schema that is not yet read: a schema of the document, or a schema made of others.
    struct Part {
        private enum Content {
            case node(Node)
            indirect case schema(RawSchema)
        }

        let pointer: JSONPointer
        private let content: Content

        private init(_ content: Content, at pointer: JSONPointer) {
            self.content = content
            self.pointer = pointer
        }

        /// A schema of the document.
        init(node: Node, pointer: JSONPointer) { self.init(.node(node), at: pointer) }

        /// A schema made of others.
        init(_ schema: RawSchema) { self.init(.schema(schema), at: schema.pointer) }

        /// A schema of which all parts apply.
        @inline(never)
        init(allOf parts: [Part], at pointer: JSONPointer, position: SourcePosition) {
            var schema = RawSchema(pointer: pointer, position: position)
            schema.allOf = parts
            self.init(schema.moved(to: pointer))
        }

        /// Nil for a schema made of others.
        var node: Node? {
            if case .node(let node) = content { return node }
            return nil
        }

        /// Nil for a schema of the document.
        var schema: RawSchema? {
            if case .schema(let schema) = content { return schema }
            return nil
        }

        var position: SourcePosition {
            switch content {
            case .node(let node): node.position
            case .schema(let schema): schema.position
            }
        }

        /// The same schema in another place, from which the types in it are named.
        func moved(to pointer: JSONPointer) -> Part {
            switch content {
            case .node: Part(content, at: pointer)
            case .schema(let schema): Part(schema.moved(to: pointer))
            }
        }
    }
}
