/// Writes one operation: the plain method, the one with the response, and what only they use.
struct OperationRenderer {
    let model: CodeModel
    let plan: OperationPlan
    /// Whether the body has an alternative media type.
    var isAlternative = false

    private var owner: String {
        model.namespace + "Client" + (plan.group.map { "." + $0 } ?? "")
    }

    func render(into writer: inout SourceWriter) {
        writer.blank()
        writer.line("// MARK: \(heading)")
        writer.blank()
        writer.open("nonisolated extension \(owner)")
        let isWhole = plan.stream?.isOnly != true
        let others = plan.alternatives.map { OperationRenderer(model: model, plan: $0, isAlternative: true) }
        if isWhole { plainMethod(&writer) }
        if let page = plan.page { allMethod(page, &writer) }
        if let stream = plan.stream {
            if isWhole { writer.blank() }
            streamMethod(stream, &writer)
        }
        for other in others {
            if isWhole {
                writer.blank()
                other.plainMethod(&writer)
            }
            guard let stream = other.plan.stream else { continue }
            writer.blank()
            other.streamMethod(stream, &writer)
        }
        writer.close()
        if isWhole {
            writer.blank()
            writer.open("nonisolated extension \(owner).WithResponse")
            responseMethod(&writer)
            for other in others {
                writer.blank()
                other.responseMethod(&writer)
            }
            writer.close()
        }
        if let page = plan.page, page.declaresConformance { conformance(page, &writer) }
        headers(&writer)
        if case .several(let type) = plan.success.reading { several(type, &writer) }
    }

    var heading: String {
        SwiftText.oneLine(plan.operation.method + " " + plan.operation.path)
    }

    // MARK: Signatures

    private var signature: String {
        var parts = plan.arguments.map { argument in
            argument.declared + ": " + argument.type + (argument.isOptional ? "? = nil" : "")
        }
        parts.append("options: CallOptions = CallOptions()")
        return parts.joined(separator: ", ")
    }

    private var passed: String {
        var parts = plan.arguments.map(\.passed)
        parts.append("options: options")
        return parts.joined(separator: ", ")
    }

    var throwing: String { "async throws(APIError<\(plan.failureType)>)" }

    var value: String? {
        switch plan.success.reading {
        case .json(let type): type
        case .text: "String"
        case .bytes: "[UInt8]"
        case .stream: "ResponseBody"
        case .empty: nil
        case .several(let type): type
        }
    }

    // MARK: Methods

    private func plainMethod(_ writer: inout SourceWriter) {
        documentation(&writer)
        let result = value.map { " -> " + $0 } ?? ""
        writer.openVisible("func \(plan.method)(\(signature)) \(throwing)\(result)")
        let call = "try await self.withResponse.\(plan.method)(\(passed))"
        writer.line(value == nil ? "_ = \(call)" : "return \(call).value")
        writer.close()
    }

    private func allMethod(_ page: OperationPlan.Page, _ writer: inout SourceWriter) {
        writer.blank()
        documentation(&writer, of: .pages)
        writer.openVisible(
            "func \(page.methodName)(\(signature)) -> PagedItems<\(page.type), \(plan.failureType)>")
        writer.line(
            "return PagedItems(self.withResponse._\(plan.builder)(\(passed)), "
                + "\(page.turn), from: \(plan.success.from), through: \(plan.success.through))"
        )
        writer.close()
    }

    private func responseMethod(_ writer: inout SourceWriter) {
        documentation(&writer, of: .response)
        let headers = plan.success.headersType ?? "UndocumentedHeaders"
        writer.openVisible(
            "func \(plan.method)(\(signature)) \(throwing) -> APIResponse<\(value ?? "Void"), \(headers)>")
        if plan.page == nil {
            build(&writer)
            let isStream = plan.success.reading == .stream
            let call =
                isStream ? "open(from: \(plan.success.from), through: \(plan.success.through))" : "send()"
            writer.line("let _reply: OperationReply = await _request.\(call)")
        } else {
            writer.line("let _reply: OperationReply = await self._\(plan.builder)(\(passed)).send()")
        }
        writer.line("return try _reply.\(reading)")
        writer.close()
        guard plan.page != nil else { return }
        writer.blank()
        var parts = plan.arguments.map { argument in
            argument.declared + ": " + argument.type + (argument.isOptional ? "?" : "")
        }
        parts.append("options: CallOptions")
        writer.open("func _\(plan.builder)(\(parts.joined(separator: ", "))) -> RequestBuilder")
        build(&writer)
        writer.line("return _request")
        writer.close()
    }

    private func streamMethod(_ stream: OperationPlan.Stream, _ writer: inout SourceWriter) {
        documentation(&writer, of: .stream)
        writer.openVisible(
            "func \(SwiftName.escaped(stream.methodName))(\(signature)) -> EventStream<\(stream.elementType), \(plan.failureType)>"
        )
        build(&writer, stream)
        writer.line(
            "return EventStream(_request, \(stream.framing), from: \(stream.from), through: \(stream.through))"
        )
        writer.close()
    }

    private func build(_ writer: inout SourceWriter, _ stream: OperationPlan.Stream? = nil) {
        let operation = plan.operation
        let calls = operation.servers.map(\.call) + plan.calls
        let descriptor =
            "OperationDescriptor(id: \(SwiftText.literal(operation.id ?? operation.method + " " + operation.path)), "
            + "method: \(SwiftText.literal(operation.method)), path: \(SwiftText.literal(PathTemplate.request(operation.path))), "
            + "accept: \(SwiftText.literal(stream?.accept ?? plan.accept)), "
            + "security: \(plan.security.map { SwiftText.literal($0) } ?? "nil"), "
            + "idempotencyKey: \(operation.idempotencyKey?.expression ?? "nil"))"
        let keyword = calls.isEmpty ? "let" : "var"
        writer.line(
            "\(keyword) _request: RequestBuilder = RequestBuilder(self.client, \(descriptor), options)")
        guard let change = stream?.bodySwitch, let last = calls.last, let open = last.firstIndex(of: "(")
        else {
            for call in calls { writer.line("_request." + call) }
            return
        }
        for call in calls.dropLast() { writer.line("_request." + call) }
        writer.line("var _body = body")
        writer.line("_body" + change)
        // The body is the last call, and its first argument.
        writer.line("_request." + last[...open] + "_" + last[last.index(after: open)...])
    }

    private var reading: String {
        let success = plan.success
        let range = "from: \(success.from), through: \(success.through), \(plan.failureType).self"
        switch success.reading {
        case .json(let type): return "json(\(type).self, \(range))"
        case .text: return "text(\(range))"
        case .bytes: return "bytes(\(range))"
        case .stream: return "stream(\(plan.failureType).self)"
        case .empty: return "empty(\(range))"
        case .several(let type): return "success(\(type).self, \(plan.failureType).self)"
        }
    }

    // MARK: Types

    private func conformance(_ page: OperationPlan.Page, _ writer: inout SourceWriter) {
        writer.blank()
        writer.open("nonisolated extension \(page.type): CursorPage")
        for member in page.members {
            writer.visible("var \(member.name): \(member.type) { return \(member.value.text) }")
        }
        writer.close()
    }

    private var operationName: String {
        SwiftText.oneLine(plan.operation.id ?? plan.operation.method + " " + plan.operation.path)
    }

    private func headers(_ writer: inout SourceWriter) {
        guard let type = plan.success.headersType else { return }
        writer.blank()
        writer.open("nonisolated extension \(model.namespace)")
        writer.line("/// The documented header fields of a successful response of `\(operationName)`.")
        writer.openVisible("nonisolated struct \(lastName(type)): ResponseHeaders")
        HeaderRenderer.members(plan.success.headers, into: &writer)
        writer.close()
        writer.close()
    }

    private func several(_ type: String, _ writer: inout SourceWriter) {
        writer.blank()
        writer.open("nonisolated extension \(model.namespace)")
        writer.line("/// The documented successful responses of `\(operationName)`.")
        FailureRenderer.render(
            lastName(type), "DocumentedSuccess" + model.equality.conformance, plan.success.cases,
            into: &writer)
        writer.close()
    }

    private func lastName(_ qualified: String) -> String {
        qualified.split(separator: ".").last.map { String($0) } ?? qualified
    }
}
