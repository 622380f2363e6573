/// One of the two documents, with its reference resolver and schema translator.
struct DiffDocument {
    let root: Node
    let resolver: ReferenceResolver
    let schemas: SchemaTranslator
    /// The Swift names of types and methods by their places.
    let names: [ExactText: String]
    /// The calls of the client, by the places of their operations.
    let calls: [JSONPointer: DiffCall]
    /// The servers, with their names and variables.
    let servers: ServerPlanner

    /// The node at the end of a chain of references, and its place.
    func final(_ node: Node, at pointer: JSONPointer) -> ReferenceResolver.Target {
        // Unresolved references were reported when the document was read.
        (try? resolver.final(node, at: pointer)) ?? .init(node: node, pointer: pointer)
    }

    func final(_ node: Node?, at pointer: JSONPointer) -> ReferenceResolver.Target? {
        node.map { final($0, at: pointer) }
    }

    /// Operations by method and path. The names of path parameters are ignored.
    var operations: [ExactText: DiffOperation] {
        var result = [ExactText: DiffOperation]()
        let place = JSONPointer(tokens: ["paths"])
        for path in root["paths"]?.members ?? [] where path.key.hasPrefix("/") {
            let pointer = place.appending(path.key)
            let item = final(path.value, at: pointer)
            for (method, key) in Operation.methods {
                guard let node = item.node[key], node.object != nil else { continue }
                result[method + " " + DiffOperation.shape(path.key)] = DiffOperation(
                    method: method, path: path.key, node: node, item: item,
                    pointer: pointer.appending(key), source: item.pointer.appending(key))
            }
        }
        return result
    }
}

/// What a caller of an operation sees.
struct DiffCall {
    /// The labels of the arguments, in order.
    let arguments: [String]
    /// The type that the method returns. Nil: an enum of the responses.
    let result: SwiftType?
    /// The servers that the operation defines. Empty: those of the document.
    let servers: [APIServer]

    init(_ plan: OperationPlan) {
        arguments = plan.arguments.map { $0.label ?? $0.name }
        result = plan.success.cases.isEmpty ? plan.success.reading.returned ?? "Void" : nil
        servers = plan.operation.servers
    }
}

/// An operation in the document.
struct DiffOperation {
    let method: String
    let path: String
    let node: Node
    let item: ReferenceResolver.Target
    /// The place under `paths`.
    let pointer: JSONPointer
    /// The place of its definition, after references are resolved.
    let source: JSONPointer

    var title: String { method + " " + path }

    /// The path without the names of its parameters.
    static func shape(_ path: String) -> String {
        var result = ""
        var isInside = false
        for character in path {
            if character == "}" { isInside = false }
            if !isInside { result.append(character) }
            if character == "{" { isInside = true }
        }
        return result
    }
}
