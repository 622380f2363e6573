import Testing

@testable import OpenAPIGeneration

@Suite struct DynamicReferencesTests {
    private let pet = "Pet: { type: object, required: [name], properties: { name: { type: string } } }\n"
    private let owner = "Owner: { type: object, required: [mail], properties: { mail: { type: string } } }\n"

    private let page = """
        Page:
          type: object
          required: [items]
          properties:
            items: { type: array, items: { $dynamicRef: '#item' } }
            next: { $ref: '#/components/schemas/Next' }
          $defs: { item: { $dynamicAnchor: item, type: string } }
        Next: { type: object, properties: { cursor: { type: string } } }

        """

    /// A container whose items a schema says that uses it, by `$ref` or in `allOf`.
    @Test(arguments: ["$ref: '#/components/schemas/Page'", "allOf: [{ $ref: '#/components/schemas/Page' }]"])
    func aTemplateTakesTheAnchorsOfWhoUsesIt(use: String) {
        func container(_ name: String) -> String {
            "\(name)Page:\n  $defs: { item: { $dynamicAnchor: item, $ref: '#/components/schemas/\(name)' } }\n  \(use)\n"
        }
        let rendered = Rendered(schemas: page + pet + owner + container("Pet") + container("Owner"))
        #expect(rendered.findings.isEmpty, "\(rendered.printed)")
        for (type, item) in [("PetPage", "Test.Pet"), ("OwnerPage", "Test.Owner"), ("Page", "String")] {
            let parts = rendered.source.components(after: "struct \(type):")
            #expect(parts.contains("public var items: [\(item)]\n"), "\(parts.prefix(400))")
            #expect(parts.contains("public var next: Test.Next?\n"))
        }
    }

    /// The same between schemas that have names of their own.
    @Test func templatesAreFoundByTheirIdentifiers() {
        let rendered = Rendered(
            schemas: """
                Page:
                  $id: https://example.com/schemas/page
                  type: object
                  required: [items]
                  properties:
                    items: { type: array, items: { $dynamicRef: '#item' } }
                    next: { $ref: '#/$defs/next' }
                  $defs:
                    item: { $dynamicAnchor: item }
                    next: { type: object, properties: { cursor: { type: string } } }
                PetPage:
                  $id: https://example.com/schemas/pet-page
                  $ref: page
                  $defs:
                    item: { $dynamicAnchor: item, type: object, required: [name], properties: { name: { type: string } } }
                """)
        #expect(rendered.findings.isEmpty, "\(rendered.printed)")
        let parts = rendered.source.components(after: "struct PetPage:")
        #expect(parts.contains("public var items: [Test.PetPage"), "\(parts.prefix(600))")
        #expect(rendered.contains("public var items: [JSONValue]\n"))
    }

    /// A tree that another extends: its children are of the other kind then.
    @Test func aRecursiveSchemaIsExtended() {
        let rendered = Rendered(
            schemas: """
                Tree:
                  $dynamicAnchor: node
                  type: object
                  properties:
                    children: { type: array, items: { $dynamicRef: '#node' } }
                NamedTree:
                  $dynamicAnchor: node
                  $ref: '#/components/schemas/Tree'
                  properties: { name: { type: string } }
                """)
        #expect(rendered.findings.isEmpty, "\(rendered.printed)")
        let named = rendered.source.components(after: "struct NamedTree:")
        #expect(named.contains("public var children: [Test.NamedTree]?\n"), "\(named.prefix(400))")
        #expect(named.contains("public var name: String?\n"))
        let tree = rendered.source.components(after: "struct Tree:")
        #expect(tree.contains("public var children: [Test.Tree]?\n"))
    }

    @Test func templatesMayBeOfTemplates() {
        let rendered = Rendered(
            schemas: page + pet + """
                Counted:
                  allOf: [{ $ref: '#/components/schemas/Page' }]
                  required: [total]
                  properties: { total: { type: integer } }
                PetPage:
                  $defs: { item: { $dynamicAnchor: item, $ref: '#/components/schemas/Pet' } }
                  $ref: '#/components/schemas/Counted'
                """)
        #expect(rendered.findings.isEmpty, "\(rendered.printed)")
        let parts = rendered.source.components(after: "struct PetPage:")
        #expect(parts.contains("public var items: [Test.Pet]\n"), "\(parts.prefix(400))")
        #expect(parts.contains("public var total: Int\n"))
    }

    /// The template, the schemas that use it and their items are files of their own.
    @Test func templatesMayBeFiles() {
        let rendered = Rendered(
            """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            components:
              schemas:
                PetPage: { $ref: pet-page.yaml }
                OwnerPage:
                  $defs: { item: { $dynamicAnchor: item, $ref: 'models.yaml#/Owner' } }
                  allOf: [{ $ref: page.yaml }]
                Named: { $ref: 'named.yaml' }
            """,
            documents: MemoryDocuments(files: [
                "page.yaml": """
                type: object
                required: [items]
                properties:
                  items: { type: array, items: { $dynamicRef: '#item' } }
                  next: { $ref: '#/$defs/next' }
                $defs:
                  item: { $dynamicAnchor: item, type: string }
                  next: { type: object, properties: { cursor: { type: string } } }
                """,
                "pet-page.yaml": """
                $defs: { item: { $dynamicAnchor: item, $ref: 'models.yaml#/Pet' } }
                $ref: page.yaml
                """,
                "models.yaml": pet + owner,
                "tree.yaml": """
                $id: https://example.com/tree
                $dynamicAnchor: node
                type: object
                properties: { children: { type: array, items: { $dynamicRef: '#node' } } }
                """,
                "named.yaml": """
                $dynamicAnchor: node
                $ref: tree.yaml
                properties: { name: { type: string } }
                """,
            ]))
        #expect(rendered.findings.isEmpty, "\(rendered.printed)")
        for (type, item) in [("PetPage", "Test.Pet"), ("OwnerPage", "Test.Owner"), ("Page", "String")] {
            let parts = rendered.source.components(after: "struct \(type):")
            #expect(parts.contains("public var items: [\(item)]\n"), "\(parts.prefix(400))")
            #expect(parts.contains("public var next: Test.Next?\n"), "\(parts.prefix(400))")
        }
        let named = rendered.source.components(after: "struct Named:")
        #expect(named.contains("public var children: [Test.Named]?\n"), "\(named.prefix(400))")
        let tree = rendered.source.components(after: "struct Tree:")
        #expect(tree.contains("public var children: [Test.Tree]?\n"), "\(tree.prefix(400))")
    }

    @Test func theMarkOfATemplateIsNotKept() {
        let rendered = Rendered(
            schemas:
                "A: { $defs: { a: { $dynamicAnchor: a, type: string } }, properties: { x: { $dynamicRef: '#a' } } }"
        )
        #expect(rendered.findings.isEmpty, "\(rendered.printed)")
        #expect(rendered.contains("public var x: String?\n"))
    }

    /// By a property one comes to the template, too; that is not followed, and told.
    @Test func anAnchorThatNothingComesOfIsToldOf() {
        let rendered = Rendered(
            schemas: page + pet + """
                Shop:
                  $defs: { item: { $dynamicAnchor: item, $ref: '#/components/schemas/Pet' } }
                  type: object
                  properties: { page: { $ref: '#/components/schemas/Page' } }
                """)
        #expect(rendered.rules == ["unsupported-schema"])
        #expect(
            rendered.printed.contains(
                "\"$dynamicRef\" is always resolved to #/components/schemas/Page/$defs/item"),
            "\(rendered.printed)")
        #expect(rendered.contains("public var items: [String]\n"))
    }

    @Test func whatCannotBeFollowedIsLeftAndToldOf() {
        for reference in ["#nowhere", "other.yaml#item", "#/components/schemas/A", "#%"] {
            let rendered = Rendered(
                schemas: "A: { type: object, properties: { x: { $dynamicRef: '\(reference)' } } }")
            #expect(rendered.rules == ["unsupported-schema"], "\(rendered.printed)")
            #expect(rendered.contains("public var x: JSONValue?\n"))
        }
        // 3.0 has no such keyword.
        let old = Rendered(
            schemas:
                "A: { type: object, properties: { x: { $dynamicRef: '#a' }, y: { $dynamicAnchor: a } } }",
            version: "3.0.3")
        #expect(!old.rules.isEmpty)
    }

    @Test func templatesThatMultiplyEnd() {
        let levels = (0..<9).map { level in
            let next = "{ $ref: '#/components/schemas/T\(level + 1)' }"
            return "T\(level): { allOf: [\(Array(repeating: next, count: 6).joined(separator: ", "))] }\n"
        }
        let rendered = Rendered(
            schemas:
                "U: { $defs: { x: { $dynamicAnchor: x, type: string } }, $ref: '#/components/schemas/T0' }\n"
                + levels.joined()
                + "T9: { $defs: { x: { $dynamicAnchor: x } }, properties: { a: { $dynamicRef: '#x' } } }")
        #expect(rendered.rules == ["limit"])
    }

    @Test func templatesThatAreTemplatesOfEachOtherEnd() {
        let rendered = Rendered(
            schemas: """
                A: { $dynamicAnchor: x, allOf: [{ $ref: '#/components/schemas/B' }, { $dynamicRef: '#x' }] }
                B: { $dynamicAnchor: x, allOf: [{ $ref: '#/components/schemas/A' }, { $dynamicRef: '#x' }] }
                """)
        #expect(!rendered.findings.isEmpty)
    }
}

extension String {
    /// What follows a text, up to the next type.
    fileprivate func components(after text: String) -> String {
        guard let range = firstRange(of: text) else { return "" }
        let rest = self[range.upperBound...]
        return String(rest[..<(rest.firstRange(of: "nonisolated struct")?.lowerBound ?? rest.endIndex)])
    }
}
