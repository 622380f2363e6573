import Testing

@testable import OpenAPIGeneration

/// Values that match several branches.
@Suite struct OverlappingBranchTests {
    /// A value can match several branches of an `anyOf`: what one does not define can belong to another.
    @Test func branchesOfAnAnyOfKeepTheMembersOfTheOthers() {
        let rendered = Rendered(
            schemas: """
                A: { anyOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }, { type: string }] }
                B: { type: object, required: [b], properties: { b: { type: string }, inner: { $ref: '#/components/schemas/BInner' }, same: { $ref: '#/components/schemas/Same' } } }
                C: { type: object, required: [c], properties: { c: { type: string }, inner: { $ref: '#/components/schemas/CInner' }, same: { $ref: '#/components/schemas/Same' } } }
                BInner: { type: object, properties: { x: { type: string }, list: { type: array, items: { $ref: '#/components/schemas/BItem' } } } }
                CInner: { type: object, properties: { y: { type: string }, list: { type: array, items: { $ref: '#/components/schemas/CItem' } } } }
                BItem: { type: object, properties: { x: { type: string } } }
                CItem: { type: object, properties: { y: { type: string } } }
                Same: { type: object, properties: { z: { type: string } } }
                """)
        #expect(rendered.findings.isEmpty)
        // B, C, and the objects inside of both.
        #expect(rendered.source.ranges(of: ": UnknownProperties\n").count == 6)
        #expect(rendered.contains(#"self.unknownProperties = try _o.unknown(["b", "inner", "same"])"#))
        #expect(
            rendered.contains(#"_w.unknown(self.unknownProperties, ["list", "y"])"#))
        #expect(rendered.contains("public init(z: String? = nil) {"))
    }

    @Test(arguments: [
        // A value matches one of them.
        ("oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }]", 0),
        ("anyOf: [{ $ref: '#/components/schemas/T1' }, { $ref: '#/components/schemas/T2' }]", 0),
        ("anyOf: [{ $ref: '#/components/schemas/B' }, { type: string }, { type: 'null' }]", 0),
        ("anyOf: [{ $ref: '#/components/schemas/B' }, { type: array, items: { type: string } }]", 0),
        // Or several.
        (
            "anyOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }], discriminator: { propertyName: t, mapping: { b: B, c: C } }",
            2
        ),
        ("anyOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }]", 2),
        ("anyOf: [{ $ref: '#/components/schemas/B' }, { type: object }]", 1),
        ("oneOf: [{ $ref: '#/components/schemas/B' }, { type: object }]", 1),
        (
            "anyOf: [{ type: array, items: { $ref: '#/components/schemas/B' } }, { type: array, items: { $ref: '#/components/schemas/C' } }]",
            2
        ),
        (
            "anyOf: [{ type: array, prefixItems: [{ $ref: '#/components/schemas/B' }] }, { type: array, prefixItems: [{ $ref: '#/components/schemas/C' }] }]",
            2
        ),
        (
            "anyOf: [{ type: array, prefixItems: [{ $ref: '#/components/schemas/B' }] }, { type: array, items: { $ref: '#/components/schemas/C' } }]",
            2
        ),
        (
            "anyOf: [{ type: array, prefixItems: [{}], items: { $ref: '#/components/schemas/B' } }, { type: array, prefixItems: [{}], items: { $ref: '#/components/schemas/C' } }]",
            2
        ),
        // Elements of different positions.
        (
            "anyOf: [{ type: array, prefixItems: [{ $ref: '#/components/schemas/B' }] }, { type: array, prefixItems: [{}, { $ref: '#/components/schemas/C' }] }]",
            0
        ),
        (
            "anyOf: [{ type: object, additionalProperties: { $ref: '#/components/schemas/B' } }, { type: object, properties: { m: { $ref: '#/components/schemas/C' } } }]",
            3
        ),
        (
            "anyOf: [{ oneOf: [{ $ref: '#/components/schemas/B' }, { type: string }] }, { $ref: '#/components/schemas/C' }]",
            2
        ),
        (
            "properties: { id: { type: string } }, anyOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }]",
            2
        ),
    ]) func onlyWhatCanMatchSeveralBranchesKeepsThem(union: String, count: Int) {
        let rendered = Rendered(
            schemas: """
                A: { \(union) }
                B: { type: object, properties: { b: { type: string }, t: { type: string } } }
                C: { type: object, properties: { c: { type: string }, t: { type: string } } }
                T1: { type: object, required: [k], properties: { k: { const: one }, b: { type: string } } }
                T2: { type: object, required: [k], properties: { k: { const: two }, c: { type: string } } }
                """)
        #expect(rendered.source.ranges(of: ": UnknownProperties\n").count == count)
    }
}
