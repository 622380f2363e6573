extension RawSchema {
    /// A schema that is not yet read: one of the document, or one that is made of others.
    struct Part {
        fileprivate enum Content {
            case node(Node)
            indirect case schema(RawSchema)
        }

        let pointer: JSONPointer
        fileprivate let content: Content

        private init(_ content: Content, at pointer: JSONPointer) {
            self.content = content
            self.pointer = pointer
        }

        /// A schema of the document.
        init(node: Node, pointer: JSONPointer) { self.init(.node(node), at: pointer) }

        /// A schema made of others.
        init(_ schema: RawSchema) { self.init(.schema(schema), at: schema.pointer) }

        /// A schema of which all parts apply.
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
        fileprivate func moved(to pointer: JSONPointer) -> Part {
            switch content {
            case .node: Part(content, at: pointer)
            case .schema(let schema): Part(schema.moved(to: pointer))
            }
        }
    }
}

extension RawSchema {
    /// The same schema in another place, with all its parts.
    func moved(to pointer: JSONPointer) -> RawSchema {
        func moved(_ parts: [Part], _ keyword: String) -> [Part] {
            let place = pointer.appending(keyword)
            return parts.enumerated().map { $1.moved(to: place.appending($0)) }
        }
        var result = self
        result.pointer = pointer
        let place = pointer.appending("properties")
        result.properties = properties.map {
            Property(
                name: $0.name, position: $0.position, schema: $0.schema.moved(to: place.appending($0.name)))
        }
        if case .schema(let part) = additional {
            result.additional = .schema(part.moved(to: pointer.appending("additionalProperties")))
        }
        result.items = items?.moved(to: pointer.appending("items"))
        result.allOf = moved(allOf, "allOf")
        result.oneOf = moved(oneOf, "oneOf")
        result.anyOf = moved(anyOf, "anyOf")
        return result
    }
}
