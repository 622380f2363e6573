/// Reads the operations of one path.
struct OperationTranslator {
    let resolver: ReferenceResolver
    let schemas: SchemaTranslator
    let sink: DiagnosticSink
    let security: SecurityTranslator
    /// The document's.
    let servers: [APIServer]

    func read(path: String, _ item: Node, at pointer: JSONPointer) -> [Operation] {
        let target: ReferenceResolver.Target
        do throws(Diagnostic) {
            target = try resolver.final(item, at: pointer)
        } catch {
            sink.report(error)
            return []
        }
        guard target.node.object != nil else {
            sink.fail(
                .structure, "a path item must be an object, found \(target.node.kind)", at: item.position)
            return []
        }
        let shared = parameters(target.node["parameters"], at: target.pointer.appending("parameters"))
        var result: [Operation] = []
        for (method, key) in Operation.methods {
            guard let node = target.node[key] else { continue }
            guard node.object != nil else {
                sink.fail(.structure, "an operation must be an object, found \(node.kind)", at: node.position)
                continue
            }
            let place = pointer.appending(key)
            let context = Context(
                method: method, path: path, item: target.node, shared: shared, pointer: place,
                source: target.pointer.appending(key))
            result.append(operation(node, context))
        }
        return result
    }

    private struct Context {
        let method: String
        let path: String
        let item: Node
        let shared: [Parameter]
        /// The operation's place under `paths`, which names it.
        let pointer: JSONPointer
        /// The place of its definition, after references are resolved.
        let source: JSONPointer
    }

    private func operation(_ node: Node, _ context: Context) -> Operation {
        var idempotencyKey: IdempotencyKeyForm?
        let own = parameters(node["parameters"], at: context.source.appending("parameters"))
        var all: [Parameter] = []
        for parameter in context.shared {
            let isOverridden = own.contains {
                $0.name.isSame(as: parameter.name) && $0.location == parameter.location
            }
            if !isOverridden { all.append(parameter) }
        }
        all = (all + own).filter { parameter in
            guard parameter.location == .header else { return true }
            switch parameter.name.lowercased() {
            case "idempotency-key":
                idempotencyKey = keyForm(parameter)
                return true
            case "accept", "content-type", "authorization": return false
            default: return true
            }
        }
        return Operation(
            pointer: context.pointer, source: context.source, position: node.position, method: context.method,
            path: context.path, id: node["operationId"]?.text,
            tags: (node["tags"]?.array ?? []).compactMap(\.text), summary: node["summary"]?.string,
            text: node["description"]?.string, isDeprecated: node["deprecated"]?.bool ?? false,
            parameters: checkedPath(all, context, at: node.position),
            body: body(node["requestBody"], at: context.source.appending("requestBody")),
            responses: responses(node["responses"], at: context.source.appending("responses")),
            security: security.requirement(of: node), servers: servers(node, context.item),
            idempotencyKey: idempotencyKey)
    }

    private func keyForm(_ parameter: Parameter) -> IdempotencyKeyForm? {
        let form = IdempotencyKeyReader(schemas: schemas).form(of: parameter)
        if form == nil {
            sink.warn(
                .unsupportedParameter,
                "no \"\(parameter.name)\" can be generated for this schema; pass a key with each call",
                at: parameter.position)
        }
        return form
    }

    /// The servers of the operation, otherwise of its path. Empty: the servers of the document.
    private func servers(_ node: Node, _ item: Node) -> [APIServer] {
        let reader = ServerTranslator(sink: sink)
        guard let own = reader.servers(node["servers"]) ?? reader.servers(item["servers"]) else { return [] }
        return own.map(\.target) == servers.map(\.target) ? [] : own
    }

    /// Path parameters in the order of the template, then the others.
    private func checkedPath(
        _ parameters: [Parameter], _ context: Context, at position: SourcePosition
    ) -> [Parameter] {
        var result: [Parameter] = []
        var used = Set<ExactText>()
        for name in PathTemplate.names(context.path) where used.insert(name) {
            if let parameter = parameters.first(where: { $0.location == .path && $0.name.isSame(as: name) }) {
                result.append(parameter)
                continue
            }
            sink.warn(
                .structure, "the path parameter \"\(name)\" is not declared; falling back to String",
                at: position)
            result.append(
                Parameter(
                    name: name, location: .path, isRequired: true, isDeprecated: false, text: nil,
                    schema: Schema(shape: .string(.plain), position: position), style: .simple,
                    explode: false, allowsReserved: false, mediaType: nil, position: position))
        }
        for parameter in parameters where parameter.location == .path && !used.contains(parameter.name) {
            sink.warn(
                .structure, "the path parameter \"\(parameter.name)\" is not in the path; it is skipped",
                at: parameter.position)
        }
        return result + parameters.filter { $0.location != .path }
    }

    private func body(_ node: Node?, at pointer: JSONPointer) -> RequestBody? {
        guard let node else { return nil }
        do throws(Diagnostic) {
            let target = try resolver.final(node, at: pointer)
            let reader = MediaContentReader(sink: sink, schemas: schemas)
            let contents = reader.request(target.node["content"], at: target.pointer.appending("content"))
            guard let first = contents.first else { return nil }
            return RequestBody(
                isRequired: target.node["required"]?.bool ?? false,
                text: target.node["description"]?.string, content: first,
                alternatives: Array(contents.dropFirst()), position: node.position)
        } catch {
            sink.report(error)
            return nil
        }
    }
}

extension Operation {
    /// Methods, in the order of operations of a path, with their keys.
    static let methods: [(String, String)] = [
        ("GET", "get"), ("PUT", "put"), ("POST", "post"), ("DELETE", "delete"), ("OPTIONS", "options"),
        ("HEAD", "head"), ("PATCH", "patch"), ("TRACE", "trace"), ("QUERY", "query"),
    ]

    /// The position of the method in this order.
    var methodOrder: Int {
        Self.methods.firstIndex { $0.0 == method } ?? Self.methods.count
    }
}
