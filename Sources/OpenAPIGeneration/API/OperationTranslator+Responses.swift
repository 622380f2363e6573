extension OperationTranslator {
    /// The documented responses, exact ones first.
    func responses(_ node: Node?, at pointer: JSONPointer) -> [Response] {
        var result: [Response] = []
        for member in node?.members ?? [] where !member.key.hasPrefix("x-") {
            guard let status = status(member.key) else {
                sink.fail(
                    .structure, "\"\(member.key)\" is not a status code, a range such as 4XX, or \"default\"",
                    at: member.keyPosition)
                continue
            }
            do throws(Diagnostic) {
                let target = try resolver.final(member.value, at: pointer.appending(member.key))
                let reader = MediaContentReader(sink: sink, schemas: schemas)
                let node = documentedContent(of: target.node, status)
                let content = reader.response(node, at: target.pointer.appending("content"))
                // Only successful responses are streamed.
                let isRead = status.isSuccess || status == .default
                result.append(
                    Response(
                        status: status, text: target.node["description"]?.string,
                        contents: content.whole, stream: isRead ? content.stream : nil,
                        headers: headers(
                            target.node["headers"], at: target.pointer.appending("headers"),
                            isSuccess: status.isSuccess),
                        links: links(target.node["links"], at: target.pointer.appending("links")),
                        position: member.keyPosition))
            } catch {
                sink.report(error)
            }
        }
        return result.sorted { $0.status < $1.status }
    }

    /// The `content` of a response, unless a response with this status has none.
    private func documentedContent(of response: Node, _ status: Response.Status) -> Node? {
        guard let content = response.object?.member("content") else { return nil }
        if status.hasContent { return content.value }
        if !content.value.members.isEmpty {
            sink.warn(
                .ignoredKeyword, "a \(status.text) response has no content; \"content\" is ignored",
                at: content.keyPosition)
        }
        return nil
    }

    private func status(_ key: String) -> Response.Status? {
        if key == "default" { return .default }
        let bytes = Array(key.utf8)
        guard bytes.count == 3, bytes[0] >= UInt8(ascii: "1"), bytes[0] <= UInt8(ascii: "5") else {
            return nil
        }
        if bytes[1] | 0x20 == UInt8(ascii: "x"), bytes[2] | 0x20 == UInt8(ascii: "x") {
            return .range(Int(bytes[0] - UInt8(ascii: "0")))
        }
        return Int(key).map { .exactly($0) }
    }

    private func headers(_ node: Node?, at pointer: JSONPointer, isSuccess: Bool) -> [Response.Header] {
        let members = (node?.members ?? []).filter { $0.key.lowercased() != "content-type" }
        // Header fields of failures that the runtime handles do not need a type.
        guard isSuccess || members.contains(where: { !Self.isReadByRuntime($0.key) }) else { return [] }
        var result: [Response.Header] = []
        for member in members {
            do throws(Diagnostic) {
                let target = try resolver.final(member.value, at: pointer.appending(member.key))
                if let header = header(member.key, target) { result.append(header) }
            } catch {
                sink.report(error)
            }
        }
        return result.sorted { $0.name < $1.name }
    }

    private func links(_ node: Node?, at pointer: JSONPointer) -> [LinkObject] {
        var result: [LinkObject] = []
        for member in node?.members ?? [] where !member.key.hasPrefix("x-") {
            do throws(Diagnostic) {
                let target = try resolver.final(member.value, at: pointer.appending(member.key))
                result.append(LinkObject(name: member.key, node: target.node, position: member.keyPosition))
            } catch {
                sink.report(error)
            }
        }
        return result.sorted { $0.name < $1.name }
    }

    private func header(_ name: String, _ target: ReferenceResolver.Target) -> Response.Header? {
        let text = target.node["description"]?.string
        if let schema = target.node["schema"] {
            return Response.Header(
                name: name,
                schema: schemas.schema(of: .init(node: schema, pointer: target.pointer.appending("schema"))),
                text: text,
                explode: target.node["explode"]?.bool ?? Parameter.Location.header.style.isExploded)
        }
        guard let content = target.node["content"]?.members.first else { return nil }
        let place = target.pointer.appending("content").appending(content.key).appending("schema")
        let isJSON = MediaType(content.key).isJSON
        // Other values are text in their media type.
        let schema = isJSON ? content.value["schema"].map { RawSchema.Part(node: $0, pointer: place) } : nil
        if !isJSON { checkText(.any(at: content.keyPosition), in: content, "header \"\(name)\"") }
        let plain = Schema(shape: isJSON ? .any : .string(.plain), position: content.keyPosition)
        return Response.Header(
            name: name, schema: schema.map { schemas.schema(of: $0) } ?? plain, text: text,
            mediaType: content.key)
    }

    /// Header fields that the runtime uses: for retries, rate limits, challenges and the request ID.
    private static func isReadByRuntime(_ header: String) -> Bool {
        let name = header.lowercased()
        return name.hasPrefix("ratelimit") || name.hasPrefix("x-ratelimit") || name.hasSuffix("request-id")
            || ["retry-after", "www-authenticate", "content-type", "content-length", "date"].contains(name)
    }
}
