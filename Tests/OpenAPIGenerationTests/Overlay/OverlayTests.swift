import Testing

@testable import OpenAPIGeneration

@Suite struct OverlayTests {
    private let document = """
        openapi: 3.1.0
        info: { title: T, version: '1' }
        paths:
          /a:
            get: { operationId: getA, tags: [x], parameters: [{ name: p, in: query }, { name: q, in: query }] }
            x-internal: true
          /b:
            get: { operationId: getB, x-internal: true, deprecated: true }
            put: { operationId: putB }
        list: [1, 2, 3]
        """

    private func overlay(_ actions: String) throws -> (result: Node, findings: [String]) {
        let sink = DiagnosticSink()
        let tree = try node("overlay: 1.0.0\ninfo: { title: O, version: '1' }\nactions:\n\(actions)\n")
        let result = Overlay(sink: sink).apply(tree, to: try node(document))
        return (result, sink.all.map { "\($0.severity) \($0.message)" })
    }

    @Test(arguments: [
        ("$", 1), ("$.paths.*", 2), ("$.paths['/a'].get", 1), ("$.paths['/a','/b'].get", 2), ("$.list[0]", 1),
        ("$.list[-1]", 1), ("$.list[5]", 0), ("$.list[*]", 3), ("$..operationId", 3), ("$..get", 2),
        ("$.paths.*[?@['x-internal'] == true]", 1), ("$.paths[?@['x-internal']]", 1),
        ("$.paths['/a'].get.parameters[?@.name == 'q']", 1),
        ("$.paths['/a'].get.parameters[?(@.name != 'q' && @.in == \"query\")]", 1),
        ("$.paths.*[?@.deprecated || @.operationId == 'putB']", 2), ("$.paths.*[?!@.deprecated]", 3),
        ("$.list[?@ > 1]", 2), ("$.list[?@ <= 1.0]", 1), ("$.list[?@ == $.list[1]]", 1), ("$.nope", 0),
        ("$..*", 29), ("$.paths[\"/\\u0061\"]", 1), ("$ .paths ['/a']", 1),
    ])
    func selects(query: String, count: Int) throws {
        let matches = try JSONPath(query).matches(in: try node(document))
        #expect(matches.count == count)
    }

    @Test(arguments: [
        ("paths", "a JSONPath must begin with \"$\", at character 1"),
        ("$.paths[0:1]", "slices are not supported, at character 10"),
        ("$.paths[?length(@.a) > 1]", "functions are not supported, at character 10"),
        ("$.paths.x-internal", "a name with \"-\" requires brackets and quotes: ['…'], at character 10"),
        ("$.paths[", "unterminated brackets, at character 9"),
        ("$.paths['a'", "expected \",\" or \"]\", at character 12"),
        ("$.", "expected a name or \"*\", at character 3"),
        ("$.a b", "expected the end of the query, at character 4"),
        ("$.list[01]", "invalid index, at character 10"),
        ("$.a[?@.b[*] == 1]", "only a singular query can be compared, at character 13"),
        ("$.a[?'x']", "expected a comparison, at character 9"),
        ("$.a['x\\q']", "unknown escape sequence, at character 9"),
    ])
    func refuses(query: String, message: String) {
        let error = #expect(throws: JSONPathError.self) { try JSONPath(query) }
        if query.contains("[*] ==") {
            #expect(error?.message.hasPrefix("only a singular query") == true)
        } else {
            #expect(error?.message == message)
        }
    }

    @Test func deepFiltersEnd() {
        #expect(throws: JSONPathError.self) {
            try JSONPath("$[?" + String(repeating: "(", count: 10_000) + "@.a")
        }
        #expect(throws: JSONPathError.self) {
            try JSONPath("$[?" + String(repeating: "!", count: 10_000) + "@.a]")
        }
    }

    @Test func updatesAreMerged() throws {
        let (result, findings) = try overlay(
            """
              - target: $.paths['/a'].get
                update: { summary: S, tags: [y], x: { deep: 1 } }
              - target: $.paths['/a'].get
                update: { x: { deep: 2, more: 3 } }
              - target: $.paths['/a'].get.parameters
                update: { name: r, in: query }
              - target: $.info
                update: { title: New }
            """)
        #expect(findings == [])
        let get = try #require(result["paths"]?["/a"]?["get"])
        #expect(get["summary"]?.string == "S")
        #expect(get["tags"].map { json($0) } == #"["x","y"]"#)
        #expect(get["x"].map { json($0) } == #"{"deep":2,"more":3}"#)
        #expect(get["parameters"]?.array?.count == 3)
        #expect(result["info"]?["title"]?.string == "New")
        #expect(get["operationId"]?.string == "getA")
    }

    @Test func removesFromTheEnd() throws {
        let (result, findings) = try overlay(
            """
              - { target: '$.list[?@ > 1]', remove: true }
              - { target: '$..[?@[''x-internal'']]', remove: true, update: { ignored: 1 } }
              - { target: '$.paths.*.get.parameters[0]', remove: true }
            """)
        #expect(findings == ["warning \"$.paths.*.get.parameters[0]\" matches nothing in the document"])
        #expect(result["list"].map { json($0) } == "[1]")
        #expect(result["paths"]?.members.map(\.key) == ["/b"])
        #expect(result["paths"]?["/b"]?.members.map(\.key) == ["put"])
    }

    @Test func faultsHaveTheirPlaces() throws {
        let (_, findings) = try overlay(
            """
              - { target: '$.nope', update: {} }
              - { update: {} }
              - { target: '$.info' }
              - { target: '$.info', update: [1] }
              - { target: '$.info.title', update: x }
              - { target: 'x', remove: true }
              - { target: '$', update: { paths: 1 } }
              - { taget: '$', remove: true }
            """)
        #expect(
            findings == [
                "warning \"$.nope\" matches nothing in the document", "error an action requires \"target\"",
                "error an action requires \"update\" or \"remove: true\"",
                "error an object cannot be updated with an array",
                "error a string cannot be updated with a string",
                "error invalid JSONPath \"x\": a JSONPath must begin with \"$\", at character 1",
                "error an object cannot be updated with a number",
                "warning unknown keyword \"taget\" in an action; did you mean \"target\"?",
                "error an action requires \"target\"",
            ])
    }

    @Test func overlaysOfAConfigurationAreApplied() {
        let files = MemoryDocuments(files: [
            "o.yaml": """
            overlay: 1.0.0
            info: { title: O, version: '1' }
            actions:
              - { target: '$.components.schemas.pet.properties', update: { age: { type: integer } } }
              - { target: '$.paths[''/x'']', remove: true }
            """, "pet.yml": "type: object\nproperties: { name: { type: string } }",
        ])
        let text = """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            paths:
              /x: { get: { responses: { '204': { description: d } } } }
              /y: { get: { responses: { '200': { description: d, content: { application/json: { schema: { $ref: pet.yml } } } } } } }
            """
        let rendered = Rendered(text, path: "api.yaml", documents: files, configuration: "overlays: [o.yaml]")
        #expect(rendered.findings == [])
        #expect(rendered.contains("public var age: Int?"))
        #expect(!rendered.contains("\"/x\""))
        let missing = Rendered(text, path: "api.yaml", documents: files, configuration: "overlays: [p.yaml]")
        #expect(
            missing.printed
                == "c.yaml:1:12: error: \"p.yaml\" cannot be read: no such file [unreadable-file]\n")
        let version = Rendered(
            text, path: "api.yaml",
            documents: MemoryDocuments(files: ["o.yaml": "overlay: 2.0.0", "pet.yml": "{}"]),
            configuration: "overlays: [o.yaml]")
        #expect(
            version.printed
                == "o.yaml:1:10: error: Overlay version \"2.0.0\" is not supported; use 1.0 [overlay]\n")
    }
}
