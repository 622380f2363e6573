/// Reads webhooks and callbacks. Their parameters, credentials and response bodies are not used: the receiving server
/// handles them.
struct EventTranslator {
    let root: Node
    let resolver: ReferenceResolver
    let schemas: SchemaTranslator
    let sink: DiagnosticSink

    /// The document's webhooks, then each operation's callbacks, in the order of the operations.
    func sets(of operations: [Operation]) -> [EventSet] {
        var result: [EventSet] = []
        // ReDoc's extension of 3.0 became a keyword of 3.1.
        for key in ["webhooks", "x-webhooks"] {
            let place = JSONPointer(tokens: [key])
            var events: [Event] = []
            for member in root[key]?.members ?? [] where root[key]?.object != nil {
                guard !member.key.hasPrefix("x-") else { continue }
                events += read(member.value, at: place.appending(member.key), name: member.key, nil)
            }
            if !events.isEmpty {
                result.append(EventSet(operation: nil, events: events.sorted { $0.name < $1.name }))
                break
            }
        }
        for operation in operations {
            let events = callbacks(of: operation)
            if !events.isEmpty {
                result.append(EventSet(operation: operation, events: events.sorted { $0.name < $1.name }))
            }
        }
        return result
    }

    private func callbacks(of operation: Operation) -> [Event] {
        let tokens = operation.source.tokens
        let (node, steps) = root.descend(tokens)
        guard steps == tokens.count, let callbacks = node["callbacks"]?.object else { return [] }
        let place = operation.source.appending("callbacks")
        var events: [Event] = []
        for member in callbacks.members where !member.key.hasPrefix("x-") {
            do throws(Diagnostic) {
                let target = try resolver.final(member.value, at: place.appending(member.key))
                let expressions = target.node.members.filter { !$0.key.hasPrefix("x-") }
                for expression in expressions {
                    let name = expressions.count == 1 ? member.key : member.key + " " + expression.key
                    events += read(
                        expression.value, at: target.pointer.appending(expression.key), name: name,
                        expression.key)
                }
            } catch {
                sink.report(error)
            }
        }
        return events
    }

    /// The events of one path item: one, unless it has several methods.
    private func read(_ item: Node, at pointer: JSONPointer, name: String, _ expression: String?) -> [Event] {
        do throws(Diagnostic) {
            let target = try resolver.final(item, at: pointer)
            guard target.node.object != nil else {
                throw .error(
                    .structure, "a path item must be an object, found \(target.node.kind)", at: item.position)
            }
            let methods = Operation.methods.filter { target.node[$0.1]?.object != nil }
            var result: [Event] = []
            for (method, key) in methods {
                guard let node = target.node[key] else { continue }
                let source = target.pointer.appending(key)
                result.append(
                    Event(
                        pointer: pointer.appending(key), source: source,
                        name: methods.count == 1 ? name : name + " " + method, method: method,
                        expression: expression, summary: node["summary"]?.string,
                        text: node["description"]?.string, isDeprecated: node["deprecated"]?.bool ?? false,
                        content: try content(node["requestBody"], at: source.appending("requestBody")),
                        answers: (node["responses"]?.members ?? []).map(\.key).filter { !$0.hasPrefix("x-") }
                            .sorted(),
                        position: node.position))
            }
            return result
        } catch {
            sink.report(error)
            return []
        }
    }

    private func content(_ node: Node?, at pointer: JSONPointer) throws(Diagnostic) -> MediaContent? {
        guard let node else { return nil }
        let target = try resolver.final(node, at: pointer)
        return MediaContentReader(sink: sink, schemas: schemas).response(
            target.node["content"], at: target.pointer.appending("content")
        ).whole.first
    }
}
