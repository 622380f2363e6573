import Testing

@testable import OpenAPIGeneration

/// Changes of schemas by the side that uses them, each verdict with its reason.
@Suite struct SchemaDiffTests {
    // MARK: - Schemas that are sent

    /// The old and the new schema of a request's body.
    static let sent: [DiffCase] = [
        // The old client keeps sending integers, which are numbers; `Int` becomes `Double` in its code.
        .init("type-widened", "{ type: integer }", "{ type: number }", "swift"),
        // It may send 1.5, which no longer fits.
        .init("type-narrowed", "{ type: number }", "{ type: integer }", "request swift"),
        .init("type-changed", "{ type: string }", "{ type: integer }", "request swift"),
        // Any value fitted, only strings do now.
        .init("type-narrowed", "{}", "{ type: string }", "request swift"),
        .init("type-widened", "{ type: string }", "{}", "swift"),
        .init("type-widened", "{ type: [string] }", "{ type: [string, integer] }", "swift"),
        // Sending what was allowed before stays allowed; but a switch over all cases lacks the new one.
        .init("enum-value-added", "{ enum: [a, b] }", "{ enum: [a, b, c] }", "swift"),
        // The old client may send the value that is gone, and its case no longer exists.
        .init("enum-value-removed", "{ enum: [a, b, c] }", "{ enum: [a, b] }", "request swift"),
        // Any text was fine, only some are now; `String` becomes an enumeration.
        .init("enum-introduced", "{ type: string }", "{ type: string, enum: [a, b] }", "request swift"),
        .init("enum-lifted", "{ type: string, enum: [a, b] }", "{ type: string }", "swift"),
        // It may send null, which no longer fits; the optional becomes a plain type.
        .init("nullable-removed", "{ type: [string, 'null'] }", "{ type: string }", "request swift"),
        .init("nullable-added", "{ type: string }", "{ type: [string, 'null'] }", "swift"),
        // A text that is no date is refused now; `String` becomes `Date`.
        .init(
            "format-changed", "{ type: string }", "{ type: string, format: date-time }", "request swift"),
        // The old client sends dates, which are texts.
        .init("format-changed", "{ type: string, format: date-time }", "{ type: string }", "swift"),
        // The server checks it; the type stays `String`.
        .init("format-changed", "{ type: string }", "{ type: string, format: email }", "request"),
        // The same for `AsText<Int64>`.
        .init("format-changed", "{ type: string }", "{ type: string, format: int64 }", "request swift"),
        .init(
            "format-changed", "{ type: string, format: int32 }", "{ type: string, format: int64 }", ""),
        // Both are `String`.
        .init("format-changed", "{ type: string, format: float }", "{ type: string }", ""),
        // Both are `Int`; but a value beyond 32 bits is refused now.
        .init(
            "format-changed", "{ type: integer, format: int64 }", "{ type: integer, format: int32 }",
            "request"),
        .init(
            "format-changed", "{ type: integer, format: int32 }", "{ type: integer, format: int64 }", ""),
        // From `Double` to `JSONNumber`.
        .init("format-changed", "{ type: number }", "{ type: number, format: int64 }", "swift"),
        .init(
            "format-changed", "{ type: number, format: int64 }", "{ type: number, format: uint64 }", "request"
        ),
        // The server refuses what the old client may send; types know no bounds.
        .init(
            "constraint-tightened", "{ type: string, maxLength: 9 }", "{ type: string, maxLength: 5 }",
            "request"),
        .init("constraint-tightened", "{ type: string }", "{ type: string, pattern: a }", "request"),
        .init(
            "constraint-tightened", "{ type: integer, minimum: 1 }", "{ type: integer, minimum: 2 }",
            "request"),
        .init(
            "constraint-loosened", "{ type: integer, maximum: 5 }", "{ type: integer, maximum: 6 }", ""),
        .init(
            "constraint-loosened", "{ type: array, items: {}, uniqueItems: true }",
            "{ type: array, items: {} }", ""),
        // Who sends nothing gets something else.
        .init(
            "default-changed", "{ type: string, default: a }", "{ type: string, default: b }", "request"),
        // The initialiser's new argument has a default, the server does without.
        .init(
            "property-added", "{ properties: { a: { type: string } } }",
            "{ properties: { a: { type: string }, b: { type: string } } }", ""),
        // The old client does not send it, and the initialiser demands it.
        .init(
            "required-property-added", "{ properties: { a: { type: string } } }",
            "{ properties: { a: { type: string }, b: { type: string } }, required: [b] }", "request swift"),
        // What the old client says is no longer heard; the member is gone.
        .init(
            "property-removed", "{ properties: { a: { type: string }, b: { type: string } } }",
            "{ properties: { a: { type: string } } }", "request swift"),
        // The old client may leave it out; the member is no longer optional.
        .init(
            "property-became-required", "{ properties: { a: { type: string } } }",
            "{ properties: { a: { type: string } }, required: [a] }", "request swift"),
        .init(
            "property-became-optional", "{ properties: { a: { type: string } }, required: [a] }",
            "{ properties: { a: { type: string } } }", "swift"),
        // What only the server may set, the old client still sends.
        .init(
            "property-became-read-only", "{ properties: { a: { type: string } } }",
            "{ properties: { a: { type: string, readOnly: true } } }", "request swift"),
        .init(
            "property-deprecated", "{ properties: { a: { type: string } } }",
            "{ properties: { a: { type: string, deprecated: true } } }", ""),
        // The old client may send other properties, its member for them is gone.
        .init(
            "additional-properties-removed",
            "{ properties: { a: { type: string } }, additionalProperties: true }",
            "{ properties: { a: { type: string } }, additionalProperties: false }", "request swift"),
        .init(
            "additional-properties-added", "{ properties: { a: { type: string } } }",
            "{ properties: { a: { type: string } }, additionalProperties: true }", ""),
        .init(
            "additional-properties-narrowed", "{ type: object, additionalProperties: true }",
            "{ type: object, additionalProperties: { type: string } }", "request swift"),
        // The values of a map, the items of a list.
        .init(
            "type-changed", "{ type: object, additionalProperties: { type: string } }",
            "{ type: object, additionalProperties: { type: boolean } }", "request swift"),
        .init(
            "type-changed", "{ type: array, items: { type: string } }",
            "{ type: array, items: { type: boolean } }", "request swift"),
        // `[JSONValue]` becomes `[String]`; the old client may send other items.
        .init("items-added", "{ type: array }", "{ type: array, items: { type: string } }", "request swift"),
        .init("items-removed", "{ type: array, items: { type: string } }", "{ type: array }", "swift"),
        // Such a property may have been anything; it is a member of its own now.
        .init(
            "pattern-added", "{ properties: { a: { type: string } }, additionalProperties: true }",
            "{ properties: { a: { type: string } }, patternProperties: { ^x: { type: string } }, additionalProperties: true }",
            "request"),
        .init(
            "pattern-removed",
            "{ properties: { a: { type: string } }, patternProperties: { ^x: { type: string } }, additionalProperties: true }",
            "{ properties: { a: { type: string } }, additionalProperties: true }", "swift"),
        .init(
            "type-changed", "{ patternProperties: { ^x: { type: string } } }",
            "{ patternProperties: { ^x: { type: boolean } } }", "request swift"),
        .init(
            "type-changed", "{ prefixItems: [{ type: string }] }", "{ prefixItems: [{ type: boolean }] }",
            "request swift"),
        // The second element may have been anything.
        .init(
            "element-added", "{ prefixItems: [{ type: string }] }",
            "{ prefixItems: [{ type: string }, { type: boolean }] }", "request swift"),
        .init(
            "element-removed", "{ prefixItems: [{ type: string }, { type: boolean }] }",
            "{ prefixItems: [{ type: string }] }", "swift"),
        .init(
            "element-became-required", "{ prefixItems: [{ type: string }] }",
            "{ prefixItems: [{ type: string }], minItems: 1 }", "request swift"),
        .init(
            "rest-removed", "{ prefixItems: [{ type: string }] }",
            "{ prefixItems: [{ type: string }], items: false }", "request swift"),
        // The old client may send what the keyword forbids; types do not know it.
        .init("constraint-tightened", "{ type: string }", "{ type: string, not: { const: a } }", "request"),
        .init("constraint-loosened", "{ type: string, not: { const: a } }", "{ type: string }", ""),
        .init(
            "constraint-tightened", "{ type: array, items: { type: integer } }",
            "{ type: array, items: { type: integer }, contains: { const: 1 } }", "request"),
        .init(
            "constraint-tightened", "{ type: array, contains: { const: 1 } }",
            "{ type: array, contains: { const: 1 }, minContains: 2 }", "request"),
        .init(
            "constraint-loosened", "{ type: array, contains: { const: 1 } }",
            "{ type: array, contains: { const: 1 }, minContains: 0 }", ""),
        .init(
            "constraint-tightened", "{ properties: { k: { type: string }, v: { type: string } } }",
            "{ properties: { k: { type: string }, v: { type: string } }, if: { required: [k] }, then: { required: [v] } }",
            "request"),
        .init(
            "constraint-tightened", "{ properties: { k: { type: string }, v: { type: string } } }",
            "{ properties: { k: { type: string }, v: { type: string } }, dependentRequired: { k: [v] } }",
            "request"),
        .init(
            "constraint-tightened", "{ properties: { k: { type: string }, v: { type: string } } }",
            "{ properties: { k: { type: string }, v: { type: string } }, dependentSchemas: { k: { required: [v] } } }",
            "request"),
        .init(
            "constraint-tightened", "{ type: object, additionalProperties: { type: integer } }",
            "{ type: object, additionalProperties: { type: integer }, propertyNames: { pattern: a } }",
            "request"),
        .init(
            "constraint-tightened", "{ properties: { a: { type: string } } }",
            "{ allOf: [{ properties: { a: { type: string } } }, { not: { required: [a] } }] }", "request"),
        // Such branches have no shape.
        .init(
            "constraint-tightened", "{ properties: { a: { type: string }, b: { type: string } } }",
            "{ properties: { a: { type: string }, b: { type: string } }, anyOf: [{ required: [a] }, { required: [b] }] }",
            "request"),
        // One of the branches must match: a value of the one that is gone is refused.
        .init(
            "constraint-tightened",
            "{ properties: { a: { type: string }, b: { type: string } }, anyOf: [{ required: [a] }, { required: [b] }] }",
            "{ properties: { a: { type: string }, b: { type: string } }, anyOf: [{ required: [a] }] }",
            "request"),
        .init(
            "constraint-loosened",
            "{ properties: { a: { type: string }, b: { type: string } }, anyOf: [{ required: [a] }] }",
            "{ properties: { a: { type: string }, b: { type: string } }, anyOf: [{ required: [a] }, { required: [b] }] }",
            ""),
        // Exactly one must match: a value of two is refused.
        .init(
            "constraint-tightened",
            "{ properties: { a: { type: string }, b: { type: string } }, oneOf: [{ required: [a] }] }",
            "{ properties: { a: { type: string }, b: { type: string } }, oneOf: [{ required: [a] }, { required: [b] }] }",
            "request"),
        // A value that was forbidden is allowed.
        .init(
            "constraint-loosened", "{ type: string, not: { enum: [a, b] } }",
            "{ type: string, not: { enum: [a] } }", ""),
        .init(
            "constraint-tightened", "{ type: string, not: { enum: [a] } }",
            "{ type: string, not: { enum: [a, b] } }", "request"),
        // It has no schema of its own, but must be there.
        .init(
            "member-became-required", "{ type: object, additionalProperties: { type: integer } }",
            "{ type: object, additionalProperties: { type: integer }, required: [z] }", "request"),
        .init(
            "member-became-optional",
            "{ type: object, additionalProperties: { type: integer }, required: [z] }",
            "{ type: object, additionalProperties: { type: integer } }", ""),
        // No value of the property is allowed.
        .init(
            "values-forbidden", "{ properties: { a: { type: integer } } }", "{ properties: { a: false } }",
            "request swift"),
        .init(
            "values-allowed", "{ properties: { a: false } }", "{ properties: { a: { type: integer } } }",
            "swift"),
        .init("items-added", "{ type: array }", "{ type: array, items: false }", "request swift"),
        // They are values of one type.
        .init(
            "enum-value-removed", "{ type: object, enum: [{ a: 1 }, { b: 1 }] }",
            "{ type: object, enum: [{ a: 1.0 }] }", "request"),
        // To `String`, both spellings of the letter are equal.
        .init(
            "constraint-tightened", "{ type: string, pattern: \u{e9} }",
            "{ type: string, pattern: e\u{301} }", "request"),
        .init(
            "default-changed", "{ type: string, default: \u{e9} }", "{ type: string, default: e\u{301} }",
            "request"),
        // Any text is allowed now.
        .init("enum-lifted", "{ const: a }", "{ type: string }", "swift"),
        // The same branches: only the numbers in the names of their cases change.
        .init(
            "union-branch-moved",
            "{ oneOf: [{ type: object, properties: { a: { type: string } } }, { type: object, properties: { b: { type: string } } }] }",
            "{ oneOf: [{ type: object, properties: { b: { type: string } } }, { type: object, properties: { a: { type: string } } }] }",
            "swift"),
        // The member was never received.
        .init(
            "property-became-write-only", "{ properties: { a: { type: string } } }",
            "{ properties: { a: { type: string, writeOnly: true } } }", ""),
        // The old client may send the branch that is gone.
        .init(
            "union-branch-removed", "{ oneOf: [{ type: string }, { type: integer }, { type: boolean }] }",
            "{ oneOf: [{ type: string }, { type: integer }] }", "request swift"),
        .init(
            "union-branch-added", "{ oneOf: [{ type: string }, { type: integer }] }",
            "{ oneOf: [{ type: string }, { type: integer }, { type: boolean }] }", "swift"),
    ]

    @Test(arguments: sent)
    func requestsAreJudged(item: DiffCase) throws {
        func document(_ schema: String) -> String {
            """
            paths:
              /a:
                post:
                  operationId: a
                  requestBody: { required: true, content: { application/json: { schema: { type: object, required: [x], properties: { x: \(schema) } } } } }
                  responses: { '204': { description: d } }
            """
        }
        try item.expect(document(item.old), document(item.new))
    }

    /// OpenAPI 3.0 ignores keywords next to `$ref`; later versions do not.
    @Test(arguments: [("3.0.3", 0), ("3.1.0", 1)])
    func boundsNextToAReferenceAreComparedIfTheyApply(version: String, count: Int) throws {
        func input(_ maximum: Int) -> Generator.Input {
            let text = """
                openapi: \(version)
                info: { title: T, version: '1' }
                components:
                  schemas:
                    A: { type: object, properties: { a: { $ref: '#/components/schemas/B', maximum: \(maximum) } } }
                    B: { type: integer }
                """
            return Generator.Input(bytes: Array(text.utf8), path: "v.yaml")
        }
        let report = try Generator(namespace: "Test").diff(input(5), NoDocuments(), input(6), NoDocuments())
        #expect(report.changes.map(\.rule) == Array(repeating: "constraint-loosened", count: count))
    }
}
