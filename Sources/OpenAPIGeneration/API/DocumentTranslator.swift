/// Translates a whole document into the model for rendering.
struct DocumentTranslator {
    let root: Node
    let resolver: ReferenceResolver
    let schemas: SchemaTranslator
    let sink: DiagnosticSink

    init(
        root: Node, version: OpenAPIVersion, ownTypes: [String: OwnType] = [:], sink: DiagnosticSink
    ) {
        self.root = root
        self.resolver = ReferenceResolver(root: root)
        self.schemas = SchemaTranslator(
            resolver: resolver, version: version, ownTypes: ownTypes, sink: sink)
        self.sink = sink
    }

    func read() -> APIDocument {
        let info = root["info"]
        if info?.object == nil {
            sink.fail(.structure, "missing object \"info\"", at: root.position)
        }
        if root["paths"] == nil, root["webhooks"] == nil, root["components"] == nil {
            sink.fail(.structure, "\"paths\", \"webhooks\" or \"components\" is required", at: root.position)
        }
        let components = readComponentSchemas()
        let schemes = SecurityTranslator(root: root, resolver: resolver, sink: sink)
        let servers = ServerTranslator(sink: sink).servers(root["servers"]) ?? []
        let (operations, skipped) = readOperations(schemes, servers: servers)
        let securitySchemes = schemes.schemes(needed: operations)
        let events = EventTranslator(root: root, resolver: resolver, schemas: schemas, sink: sink)
            .sets(of: operations)
        schemas.finish()
        return APIDocument(
            title: info?["title"]?.text ?? "API", version: info?["version"]?.text ?? "",
            summary: info?["summary"]?.string, text: info?["description"]?.string, servers: servers,
            tags: readTags(), securitySchemes: securitySchemes, operations: operations,
            skippedOperations: skipped, events: events,
            components: components, declarations: schemas.declarations)
    }

    private func readComponentSchemas() -> [APIDocument.Component] {
        let place = JSONPointer(tokens: ["components", "schemas"])
        return (root["components"]?["schemas"]?.members ?? []).map { member in
            let pointer = place.appending(member.key)
            return APIDocument.Component(
                name: member.key, pointer: pointer,
                schema: schemas.schema(of: .init(node: member.value, pointer: pointer)))
        }.sorted { $0.name < $1.name }
    }

    private func readTags() -> [ExactText: String] {
        var result = [ExactText: String]()
        for tag in root["tags"]?.array ?? [] {
            if let name = tag["name"]?.text, let text = tag["description"]?.string { result[name] = text }
        }
        return result
    }

    private func readOperations(
        _ security: SecurityTranslator, servers: [APIServer]
    ) -> (generated: [Operation], skipped: Int) {
        let translator = OperationTranslator(
            resolver: resolver, schemas: schemas, sink: sink, security: security, servers: servers)
        let place = JSONPointer(tokens: ["paths"])
        var result: [Operation] = []
        var skipped = 0
        for member in root["paths"]?.members ?? [] where !member.key.hasPrefix("x-") {
            guard member.key.utf8.first == UInt8(ascii: "/") else {
                sink.fail(
                    .structure, "a path must begin with \"/\", found \"\(member.key)\"",
                    at: member.keyPosition)
                continue
            }
            guard PathTemplate.isPath(member.key) else {
                sink.warn(
                    .unsupportedOperation,
                    "path contains characters that are not allowed in a URL; its operations are skipped",
                    at: member.keyPosition)
                let item = try? resolver.final(member.value, at: place.appending(member.key)).node
                skipped += Operation.methods.count { item?[$0.1] != nil }
                continue
            }
            result += translator.read(path: member.key, member.value, at: place.appending(member.key))
        }
        result.sort { ($0.path, $0.methodOrder) < ($1.path, $1.methodOrder) }
        let links = LinkReader(result, sink: sink)
        for index in result.indices { result[index].links = links.links(of: result[index]) }
        return (result, skipped)
    }
}
