import Testing

@testable import OpenAPIGeneration

/// Changes of schemas that are answered, each verdict with its reason.
@Suite struct AnsweredSchemaDiffTests {
    // MARK: - Schemas that are answered

    static let answered: [DiffCase] = [
        // 1.5 cannot be read as `Int`.
        .init("type-widened", "{ type: integer }", "{ type: number }", "response swift"),
        // Integers are read as `Double`.
        .init("type-narrowed", "{ type: number }", "{ type: integer }", "swift"),
        .init("type-changed", "{ type: string }", "{ type: integer }", "response swift"),
        // An enumeration reads a value that it does not know; a switch over all cases lacks the new one.
        .init("enum-value-added", "{ enum: [a, b] }", "{ enum: [a, b, c] }", "swift"),
        // What no longer comes need not be read; its case is gone.
        .init("enum-value-removed", "{ enum: [a, b, c] }", "{ enum: [a, b] }", "swift"),
        .init("enum-lifted", "{ type: string, enum: [a, b] }", "{ type: string }", "swift"),
        .init("enum-introduced", "{ type: string }", "{ type: string, enum: [a, b] }", "swift"),
        // Null cannot be read as a `String`.
        .init("nullable-added", "{ type: string }", "{ type: [string, 'null'] }", "response swift"),
        .init("nullable-removed", "{ type: [string, 'null'] }", "{ type: string }", "swift"),
        // A text that is no date cannot be read as `Date`.
        .init(
            "format-changed", "{ type: string, format: date-time }", "{ type: string }", "response swift"),
        .init("format-changed", "{ type: string }", "{ type: string, format: date-time }", "swift"),
        // A text that is no number cannot be read as `AsText<Int64>`.
        .init("format-changed", "{ type: string, format: int64 }", "{ type: string }", "response swift"),
        .init(
            "format-changed", "{ type: string, format: int32 }", "{ type: string, format: int64 }", ""),
        // Nobody parses an email.
        .init("format-changed", "{ type: string, format: email }", "{ type: string }", ""),
        // Both are `Int` with 64 bits.
        .init(
            "format-changed", "{ type: integer, format: int32 }", "{ type: integer, format: int64 }", ""),
        // A `JSONNumber` reads any number.
        .init("format-changed", "{ type: number, format: int64 }", "{ type: number }", "swift"),
        // Bounds are not checked.
        .init(
            "constraint-loosened", "{ type: string, maxLength: 5 }", "{ type: string, maxLength: 9 }", ""),
        .init(
            "constraint-tightened", "{ type: string, maxLength: 9 }", "{ type: string, maxLength: 5 }", ""),
        .init("default-changed", "{ type: string, default: a }", "{ type: string, default: b }", ""),
        // Other items cannot be read as `String`.
        .init(
            "items-removed", "{ type: array, items: { type: string } }", "{ type: array }", "response swift"),
        .init("items-added", "{ type: array }", "{ type: array, items: { type: string } }", "swift"),
        // Ignored by the old client.
        .init(
            "property-added", "{ properties: { a: { type: string } } }",
            "{ properties: { a: { type: string }, b: { type: string } } }", ""),
        // Ignored too; but who makes such a value, in a test say, has to give it.
        .init(
            "required-property-added", "{ properties: { a: { type: string } } }",
            "{ properties: { a: { type: string }, b: { type: string } }, required: [b] }", "swift"),
        // It is nil to the old client.
        .init(
            "property-removed", "{ properties: { a: { type: string }, b: { type: string } } }",
            "{ properties: { a: { type: string } } }", "swift"),
        // The old client demands it.
        .init(
            "property-removed", "{ properties: { a: { type: string }, b: { type: string } }, required: [b] }",
            "{ properties: { a: { type: string } } }", "response swift"),
        .init(
            "property-became-optional", "{ properties: { a: { type: string } }, required: [a] }",
            "{ properties: { a: { type: string } } }", "response swift"),
        .init(
            "property-became-required", "{ properties: { a: { type: string } } }",
            "{ properties: { a: { type: string } }, required: [a] }", "swift"),
        // The server no longer answers what the old client demands.
        .init(
            "property-became-write-only", "{ properties: { a: { type: string } }, required: [a] }",
            "{ properties: { a: { type: string, writeOnly: true } }, required: [a] }", "response swift"),
        // Others could be anything; now the client ignores them.
        .init(
            "additional-properties-removed",
            "{ properties: { a: { type: string } }, additionalProperties: true }",
            "{ properties: { a: { type: string } }, additionalProperties: false }", "swift"),
        .init(
            "additional-properties-widened", "{ type: object, additionalProperties: { type: string } }",
            "{ type: object, additionalProperties: true }", "response swift"),
        // A value of another type cannot be read.
        .init(
            "type-changed", "{ patternProperties: { ^x: { type: string } } }",
            "{ patternProperties: { ^x: { type: boolean } } }", "response swift"),
        // Such a property was read as a text before.
        .init(
            "pattern-added", "{ type: object, additionalProperties: { type: string } }",
            "{ type: object, patternProperties: { ^x: { type: boolean } }, additionalProperties: { type: string } }",
            "response swift"),
        .init(
            "type-changed", "{ prefixItems: [{ type: string }] }", "{ prefixItems: [{ type: boolean }] }",
            "response swift"),
        // The old client demands the second element.
        .init(
            "element-became-optional", "{ prefixItems: [{ type: string }, { type: string }], minItems: 2 }",
            "{ prefixItems: [{ type: string }, { type: string }], minItems: 1 }", "response swift"),
        // Anything can come at its place.
        .init(
            "element-removed", "{ prefixItems: [{ type: string }, { type: boolean }] }",
            "{ prefixItems: [{ type: string }] }", "response swift"),
        // Every element was read as a text.
        .init(
            "element-added", "{ type: array, items: { type: string } }",
            "{ type: array, prefixItems: [{ type: boolean }], items: { type: string } }", "response swift"),
        // A union reads a branch that it does not know as unrecognised.
        .init(
            "union-branch-added", "{ oneOf: [{ type: string }, { type: integer }] }",
            "{ oneOf: [{ type: string }, { type: integer }, { type: boolean }] }", "swift"),
        .init(
            "union-branch-removed", "{ oneOf: [{ type: string }, { type: integer }, { type: boolean }] }",
            "{ oneOf: [{ type: string }, { type: integer }] }", "swift"),
        .init(
            "union-introduced", "{ type: string }", "{ oneOf: [{ type: string }, { type: integer }] }",
            "response swift"),
    ]

    @Test(arguments: answered)
    func responsesAreJudged(item: DiffCase) throws {
        func document(_ schema: String) -> String {
            """
            paths:
              /a:
                get:
                  operationId: a
                  responses:
                    '200':
                      description: d
                      content: { application/json: { schema: { type: object, required: [x], properties: { x: \(schema) } } } }
            """
        }
        try item.expect(document(item.old), document(item.new))
    }
}
