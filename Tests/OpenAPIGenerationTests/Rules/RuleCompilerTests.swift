import Testing

@testable import OpenAPIGeneration

@Suite struct RuleCompilerTests {
    private func rendered(_ schema: String, configuration: String? = "validation: requests") -> Rendered {
        Rendered(
            """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            paths:
              /a:
                post:
                  operationId: op
                  requestBody: { required: true, content: { application/json: { schema: \(schema) } } }
                  responses: { '204': { description: done } }
            components:
              schemas:
                Node: { type: object, required: [id], properties: { id: { type: string, maxLength: 3 }, next: { $ref: '#/components/schemas/Node' } } }
                Plain: { type: object, properties: { a: { type: string } } }
                Least: { $ref: '#/components/schemas/Count', minimum: 6 }
                Count: { type: integer }
                NeedsA: { required: [a] }
                Given: { type: object, properties: { a: { type: string, readOnly: true } } }
            """, configuration: configuration)
    }

    private func rows(_ schema: String) -> [String] {
        let source = rendered(schema).unbroken
        guard let line = source.split(separator: "\n").first(where: { $0.contains("RequestRules(") }),
            let start = line.firstIndex(of: "\""), let end = line.lastIndex(of: "\"")
        else { return [] }
        return line[line.index(after: start)..<end].replacing("\\t", with: "|").split(separator: "\\n")
            .map { String($0) }
    }

    @Test func nothingIsCheckedByDefault() {
        let off = rendered("{ $ref: '#/components/schemas/Node' }", configuration: nil)
        #expect(!off.contains("_rules") && !off.contains("RequestRules"))
        let none = rendered("{ $ref: '#/components/schemas/Node' }", configuration: "validation: none")
        #expect(none.source == off.source)
    }

    @Test func whatDemandsNothingHasNoRow() {
        #expect(!rendered("{ $ref: '#/components/schemas/Plain' }").contains("_rules"))
        let some = rendered("{ $ref: '#/components/schemas/Node' }")
        #expect(some.contains("_request.check(Test._rules, 0, \"body\", body)"))
        #expect(some.findings.isEmpty)
    }

    @Test(arguments: [
        ("{ $ref: '#/components/schemas/Node' }", ["property 1 id|property 0 next", "maxLength 3"]),
        (
            "{ type: array, minItems: 1, uniqueItems: true, items: { type: integer, enum: [1, 2] } }",
            ["minItems 1|uniqueItems |items 1", "enum [1,2]"]
        ),
        (
            "{ oneOf: [{ $ref: '#/components/schemas/Node' }, { type: 'null' }, { $ref: '#/components/schemas/Plain' }] }",
            [
                "any 1|any 2|any 3", "property 4 id|property 1 next|type object|need id", "type null",
                "type object", "maxLength 3",
            ]
        ),
        (
            "{ allOf: [{ $ref: '#/components/schemas/Node' }, { minProperties: 1 }] }",
            ["all 1|all 2", "property 3 id|property 1 next", "minProperties 1", "maxLength 3"]
        ),
    ])
    func rowsAreCompact(schema: String, expected: [String]) {
        #expect(rows(schema) == expected)
    }

    /// The rules of the others do not apply to members and elements that have none of their own.
    @Test(arguments: [
        (
            "{ type: object, properties: { a: { type: string } }, patternProperties: { '^x': {} }, additionalProperties: { type: string, maxLength: 3 } }",
            ["property 1 a|matching 2 ^x|values 3", "maxLength 3"]
        ),
        (
            "{ type: array, prefixItems: [{ type: string }], items: { type: string, maxLength: 3 } }",
            ["element 1 0|items 2", "maxLength 3"]
        ),
        (
            "{ type: object, properties: { a: { type: string } }, additionalProperties: { type: string }, minProperties: 1 }",
            ["minProperties 1"]
        ),
    ])
    func membersWithoutRulesAreNotTheOthers(schema: String, expected: [String]) {
        #expect(rows(schema) == expected)
    }

    /// `unevaluatedProperties` is not about members that schemas of the same value describe.
    @Test(arguments: [
        (
            "{ allOf: [{ $ref: '#/components/schemas/Plain' }], properties: { b: { type: string } }, unevaluatedProperties: { type: string, maxLength: 3 } }",
            ["all 1|property 2 b|values 3|property 4 a", "maxLength 3"]
        ),
        (
            "{ type: object, if: { required: [x] }, then: { patternProperties: { '^c': {} } }, unevaluatedProperties: { type: string, maxLength: 3 } }",
            ["values 1|matching 2 ^c|if 3|then 4", "maxLength 3", "need x", "matching 5 ^c"]
        ),
        (
            "{ type: object, anyOf: [{ properties: { a: { type: string } }, additionalProperties: true }], unevaluatedProperties: { type: string, maxLength: 3 } }",
            []
        ),
    ])
    func describedMembersAreNotUnevaluated(schema: String, expected: [String]) {
        #expect(rows(schema) == expected)
    }

    /// Members that a branch or a condition describes are unevaluated if it does not match.
    @Test(arguments: [
        (
            "{ type: object, oneOf: [{ type: object, required: [p], properties: { p: { type: integer } } }, { type: object, required: [q], properties: { q: { type: integer } } }], unevaluatedProperties: false }",
            [
                "values 1|property 2 p|property 2 q|any 3|any 4|dependent 6 p|dependent 8 q", "not 11",
                "property 10 p|types object|type object|need p",
                "property 9 q|types object|type object|need q", "property 1 p", "anyOf 3|anyOf 5",
                "property 1 q", "anyOf 4|anyOf 7", "types integer|type number", "types integer|type number",
            ]
        ),
        (
            "{ type: object, properties: { k: { type: integer } }, dependentSchemas: { k: { properties: { v: { type: integer } } } }, unevaluatedProperties: false }",
            [
                "property 1 k|values 2|property 3 v|dependent 4 k|dependent 7 v", "not 9", "property 8 v",
                "need k", "property 2 v", "anyOf 5|anyOf 6", "types integer|type number",
            ]
        ),
        (
            "{ type: object, properties: { k: { type: integer } }, unevaluatedProperties: false }", []
        ),
    ])
    func membersOfConditionsAreUnevaluatedWithoutThem(schema: String, expected: [String]) {
        #expect(rows(schema) == expected)
    }

    /// Members that a schema requires without describing them are optional in the generated type.
    @Test(arguments: [
        (
            "{ type: object, required: [x1], patternProperties: { '^x': { type: string } } }",
            ["required x1"]
        ),
        ("{ type: object, required: [q], additionalProperties: { type: string } }", ["required q"]),
        ("{ type: object, required: [q] }", ["required q"]),
        ("{ type: object, required: [q], properties: { a: { type: string } } }", []),
        (
            "{ type: object, required: [q], properties: { a: { type: string } }, additionalProperties: {} }",
            ["required q"]
        ),
        ("{ allOf: [{ $ref: '#/components/schemas/Plain' }, { required: [a] }] }", []),
        (
            "{ allOf: [{ $ref: '#/components/schemas/Plain' }, { $ref: '#/components/schemas/NeedsA' }] }",
            []
        ),
        (
            "{ allOf: [{ $ref: '#/components/schemas/Given' }, { $ref: '#/components/schemas/NeedsA' }] }",
            []
        ),
        (
            "{ type: object, properties: { p: { $ref: '#/components/schemas/NeedsA' } } }",
            ["property 1 p", "required a"]
        ),
        (
            "{ allOf: [{ $ref: '#/components/schemas/Given' }], dependentRequired: { b: [a] } }", []
        ),
    ])
    func whatNoTypeEnsuresIsDemanded(schema: String, expected: [String]) {
        #expect(rows(schema) == expected)
    }

    @Test(arguments: [
        ("{ $ref: '#/components/schemas/Least' }", ["all 1|minimum 6"]),
        (
            "{ not: { $ref: '#/components/schemas/Least' } }",
            ["not 1", "all 2|minimum 6", "types integer|type number"]
        ),
    ])
    func keywordsNextToReferencesAreRules(schema: String, expected: [String]) {
        #expect(rows(schema) == expected)
    }

    /// Branches that describe no value restrict the value that other keywords describe.
    @Test(arguments: [
        (
            "{ type: object, properties: { a: { type: string } }, oneOf: [{ required: [a] }, { required: [b] }] }",
            ["oneOf 1|oneOf 2", "need a", "need b"]
        ),
        (
            "{ type: object, properties: { a: { type: string } }, anyOf: [{ required: [a] }, { not: { required: [b] } }] }",
            ["anyOf 1|anyOf 2", "need a", "not 3", "need b"]
        ),
        (
            "{ allOf: [{ $ref: '#/components/schemas/Given' }], anyOf: [{ required: [a] }, { required: [b] }] }",
            ["all 1|anyOf 2|anyOf 3", "need b"]
        ),
        (
            "{ type: object, properties: { a: { type: string }, b: { type: string } }, oneOf: [{ required: [a], properties: { b: { maxLength: 2 } } }, { required: [b], not: { required: [a] } }] }",
            [
                "oneOf 1|oneOf 2", "property 4 b|need a", "need b|not 3", "need a", "maxLength 2",
            ]
        ),
        ("{ type: string, oneOf: [{ format: ipv4 }, { format: ipv6 }] }", []),
    ])
    func branchesThatOnlyRestrictAreChecked(schema: String, expected: [String]) {
        #expect(rows(schema) == expected)
    }

    /// `null` is compared where the generated type allows it and the schema does not.
    @Test(arguments: [
        ("{ enum: [a, 1] }", [#"enum [\"a\",1]|not 1"#, "types null"]),
        ("{ enum: [a, 1, null] }", [#"enum [\"a\",1,null]"#]), ("{ enum: [a, b] }", [#"enum [\"a\",\"b\"]"#]),
    ])
    func nullIsNoneOfSeveralKindsOfValues(schema: String, expected: [String]) {
        #expect(rows(schema) == expected)
    }

    @Test(arguments: [
        (
            #"{ type: object, enum: [{ a: 1, "b\"": [null, x] }] }"#,
            [#"enum [{\"a\":1,\"b\\\"\":[null,\"x\"]}]"#]
        ),
        ("{ type: array, const: [1] }", ["enum [[1]]"]), ("{ not: { const: [] } }", ["not 1", "enum [[]]"]),
    ])
    func collectionsAreAmongTheValues(schema: String, expected: [String]) {
        #expect(rows(schema) == expected)
    }

    @Test(arguments: [
        ("{ type: object, properties: { b: false } }", ["property 1 b", "not 2"]),
        ("{ type: object, patternProperties: { '^x': false } }", ["matching 1 ^x", "not 2"]),
        ("{ type: string, not: false }", ["not 1", "not 2"]),
    ])
    func nothingIsValidForFalse(schema: String, expected: [String]) {
        #expect(rows(schema) == expected)
    }

    @Test func exclusiveBoundsOfBothKindsAreRead() {
        #expect(
            rows("{ type: integer, minimum: 1, exclusiveMinimum: true, exclusiveMaximum: 5 }")
                == ["exclusiveMinimum 1|exclusiveMaximum 5"])
    }

    /// Rows that decide whether a schema matches have types and required members.
    @Test(arguments: [
        ("{ type: object, dependentRequired: { a: [b] } }", ["dependent 1 a", "need b"]),
        ("{ type: object, propertyNames: { maxLength: 2 } }", ["propertyNames 1", "maxLength 2"]),
        (
            "{ type: array, unevaluatedItems: { type: string, maxLength: 2 } }", ["items 1", "maxLength 2"]
        ),
        ("{ type: array, unevaluatedItems: false }", ["maxItems 0"]),
        ("{ not: { type: integer } }", ["not 1", "types integer|type number"]),
        (
            "{ type: object, patternProperties: { '^x-': { type: string, maxLength: 2 } } }",
            ["matching 1 ^x-", "maxLength 2"]
        ),
        (
            "{ type: array, prefixItems: [{ type: string, maxLength: 2 }] }", ["element 1 0", "maxLength 2"]
        ),
    ])
    func schemasThatDecide(schema: String, expected: [String]) {
        #expect(rows(schema) == expected)
    }

    @Test func aSchemaThatIsNotComparedDecidesNothing() {
        let rendered = rendered("{ type: object, not: { oneOf: [{ required: [a] }] } }")
        #expect(rendered.rules == ["unsupported-schema"])
        #expect(!rendered.contains("_rules"))
    }

    @Test func aPatternThatIsNoneIsTold() {
        let rendered = rendered("{ type: string, pattern: '(' }")
        #expect(rendered.rules == ["unsupported-schema"])
        #expect(!rendered.contains("_rules"))
    }

    @Test func aHostileValueStaysInItsRow() {
        let rows = rows(#"{ type: string, enum: ["a\tb\nmaxLength 1", "\"\\"] }"#)
        #expect(rows.count == 1)
        #expect(rows.first?.hasPrefix(#"enum [\"a\\u0009b\\u000amaxLength 1\","#) == true)
    }
}
