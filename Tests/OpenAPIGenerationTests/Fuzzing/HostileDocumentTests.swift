import TestTiers
import Testing

@testable import OpenAPIGeneration

/// Documents that are made to hang, to overflow the stack, or to be broken somewhere: each ends in findings.
@Suite struct HostileDocumentTests {
    private func chain(_ count: Int, _ schema: (Int) -> String) -> Rendered {
        Rendered(schemas: (0..<count).map { "S\($0): \(schema($0))" }.joined(separator: "\n"))
    }

    /// The document that is broken, read once.
    private static let traps = try? node(fixture("Traps.openapi.yaml"))

    @Test func aChainOfReferencesEnds() {
        let rendered = chain(10_000) { "{ $ref: '#/components/schemas/S\($0 == 9_999 ? 0 : $0 + 1)' }" }
        #expect(rendered.rules.contains("limit"))
    }

    /// Deeper than the stack has room for.
    @Test func aChainOfTypesEnds() {
        let rendered = chain(2_500) { number in
            number == 2_499
                ? "{ type: object, properties: { z: { type: string } } }"
                : "{ type: object, required: [a], properties: { a: { $ref: '#/components/schemas/S\(number + 1)' } } }"
        }
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("struct S2499: "))
    }

    @Test func aLadderOfAllOfIsNotExponential() {
        let rendered = chain(60) { number in
            number == 0
                ? "{ type: object, properties: { a: { type: string } } }"
                : "{ allOf: [{ $ref: '#/components/schemas/S\(number - 1)' }, { $ref: '#/components/schemas/S\(number - 1)' }, { type: object, properties: { p\(number): { type: string } } }] }"
        }
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("struct S59:"))
    }

    @Test func unionsThatMultiplyEnd() {
        let rendered = chain(40) { number in
            number == 0
                ? "{ type: object, required: [a], properties: { a: { type: string } } }"
                : "{ type: object, properties: { p\(number): { type: string } }, oneOf: [{ $ref: '#/components/schemas/S\(number - 1)' }, { allOf: [{ $ref: '#/components/schemas/S\(number - 1)' }, { required: [a], properties: { q\(number): { type: string } } }] }] }"
        }
        #expect(Set(rendered.rules) == ["ambiguous-union", "unsupported-schema"])
    }

    @Test(arguments: 0..<60)
    func aBrokenDocumentGivesFindingsOrCode(seed: UInt64) throws {
        var random = RepeatableRandom(seed: seed)
        var root = try #require(Self.traps)
        for _ in 0...Int.random(in: 0..<6, using: &random) { root = mutated(root, &random) }
        let sink = DiagnosticSink()
        let document = DocumentTranslator(root: root, version: .v3_1, sink: sink).read()
        let model = CodeModel(document, namespace: "Test", sink: sink)
        #expect(FileRenderer(model, source: "x", access: .public, prefix: "X").files().count == 51)
    }

    /// The tree with one node somewhere replaced, removed, or moved.
    private func mutated(_ node: Node, _ random: inout RepeatableRandom) -> Node {
        let children = node.members.count + (node.array?.count ?? 0)
        guard children > 0, Int.random(in: 0..<8, using: &random) > 0 else { return other(node, &random) }
        let chosen = Int.random(in: 0..<children, using: &random)
        if let items = node.array {
            var items = items
            if Int.random(in: 0..<6, using: &random) == 0 {
                items.remove(at: chosen)
            } else {
                items[chosen] = mutated(items[chosen], &random)
            }
            return Node(value: .array(items), position: node.position)
        }
        var members = node.members
        let member = members[chosen]
        if Int.random(in: 0..<8, using: &random) == 0 {
            members.remove(at: chosen)
        } else {
            let value = mutated(member.value, &random)
            members[chosen] = Node.Object.Member(
                key: member.key, keyPosition: member.keyPosition, value: value)
        }
        return Node(value: .object(Node.Object(members: members)), position: node.position)
    }

    private func other(_ node: Node, _ random: inout RepeatableRandom) -> Node {
        let reference = Node.Object.Member(
            key: "$ref", keyPosition: node.position,
            value: Node(
                value: .string(
                    [
                        "#/components/schemas/Tree", "#/components/schemas/Either", "#", "#/paths", "x.yaml",
                        "#/components",
                    ]
                    .randomElement(using: &random) ?? "#"), position: node.position))
        let values: [Node.Value] = [
            .null, .bool(true), .number("1e999"), .string(""), .string("object"), .string("a\nb\u{0}"),
            .array([]),
            .object(Node.Object(members: [])), .object(Node.Object(members: [reference])),
            .array([node, node]),
        ]
        return Node(value: values.randomElement(using: &random) ?? .null, position: node.position)
    }
}
