/// Renders an operation: the plain method, the method that returns the response, and the declarations that only they
/// use.
struct OperationRenderer {
    let model: CodeModel
    @Indirect var plan: OperationPlan
    /// Whether the body has an alternative media type.
    var isAlternative = false

    var owner: String {
        model.namespace + "Client" + (plan.group.map { "." + $0 } ?? "")
    }

    /// This operation and those with alternative media types.
    var all: [OperationRenderer] {
        [self]
            + plan.alternatives.map { OperationRenderer(model: model, plan: $0, isAlternative: true) }
    }

    func declarations() -> [SwiftDeclaration] {
        let isWhole = plan.stream?.isOnly != true
        var methods: [SwiftDeclaration] = []
        for one in all {
            if isWhole { methods.append(one.plainMethod) }
            if let page = one.plan.page { methods.append(one.allMethod(page)) }
            if let stream = one.plan.stream { methods.append(one.streamMethod(stream)) }
        }
        if let stream = plan.stream {
            methods.insert(descriptor(of: stream.methodName, accept: stream.accept), at: 0)
        }
        var result: [SwiftDeclaration] = [
            .mark(heading), .extension(owner, [], methods.map { [$0] }),
        ]
        if isWhole {
            var methods = all.map(\.responseMethod)
            if plan.page != nil { methods.insert(pageBuilder, at: 1) }
            methods.insert(descriptor(of: plan.method, accept: plan.accept), at: 0)
            result.append(.extension(owner + ".WithResponse", [], methods.map { [$0] }))
        }
        if let page = plan.page, page.declaresConformance { result.append(conformance(page)) }
        if let name = plan.success.headersName {
            let comment = "The documented header fields of a successful response of `\(operationName)`."
            let headers = HeaderRenderer.declaration(name, comment, plan.success.headers)
            result.append(.extension(model.namespace, [], [[headers]]))
        }
        if case .several(let name) = plan.success.reading {
            let several = FailureRenderer.declaration(
                name, ["DocumentedSuccess"] + model.equality.conformances,
                ["The documented successful responses of `\(operationName)`."], plan.success.cases,
                choices: plan.choices)
            result.append(.extension(model.namespace, [], [[several]]))
        }
        return result
    }

    var heading: String {
        SwiftText.oneLine(plan.operation.method + " " + plan.operation.path)
    }

    private var operationName: String {
        SwiftText.oneLine(plan.operation.name)
    }

    // MARK: Signatures

    /// - Parameter choosesType: Whether there is the argument that requests a media type, if the operation has one.
    func parameters(
        hasDefaults: Bool = true, hasOptions: Bool = true, choosesType: Bool = true
    ) -> [SwiftDeclaration.Parameter] {
        var result = arguments(choosesType).map { argument in
            SwiftDeclaration.Parameter(
                argument.declared, argument.isOptional ? .optional(argument.type) : argument.type,
                argument.isOptional && hasDefaults ? "nil" : nil)
        }
        if hasOptions {
            result.append(.init("options", "CallOptions", hasDefaults ? .call("CallOptions", []) : nil))
        }
        return result
    }

    func passed(options: Expression = "options", choosesType: Bool = true) -> [Expression] {
        arguments(choosesType).map(\.passed) + [.labelled("options", options)]
    }

    func arguments(_ choosesType: Bool) -> [OperationPlan.Argument] {
        plan.arguments + (choosesType ? plan.choosing.map { [$0.argument] } ?? [] : [])
    }

    /// The method's name, as declared.
    var methodName: String { SwiftName.escaped(plan.method) }

    private var failure: SwiftType { .declared(plan.failure.name) }

    var error: SwiftType { .generic("APIError", [failure]) }

    func items(_ page: OperationPlan.Page) -> SwiftType { .generic("PagedItems", [page.type, failure]) }

    /// Nil: the operation returns nothing.
    var value: SwiftType? { plan.success.reading.returned }

    /// A method: either it makes the call, or it has a separate name and returns a sequence that makes calls.
    func method(
        _ documentation: [String], isVisible: Bool = true, named name: String? = nil,
        _ parameters: [SwiftDeclaration.Parameter], returns result: SwiftType?,
        _ body: SwiftDeclaration.Body = .none
    ) -> SwiftDeclaration {
        SwiftDeclaration(
            documentation, isVisible: isVisible, isDeprecated: plan.operation.isDeprecated,
            "func " + (name ?? methodName),
            .function(
                parameters, isAsync: name == nil, throws: name == nil ? error : nil, returns: result), body)
    }

    // MARK: Methods

    private var plainMethod: SwiftDeclaration {
        let call = Expression.call(.name("self.withResponse." + methodName), passed())
        let statement: Statement =
            value == nil
            ? .assign("_", .prefixed("try await", call))
            : .return(.prefixed("try await", .member(call, "value")))
        return method(documentation(), parameters(), returns: value, .block([statement]))
    }

    private func allMethod(_ page: OperationPlan.Page) -> SwiftDeclaration {
        var passed = passed(choosesType: false)
        if let choosing = plan.choosing, let first = plan.choices.first {
            // The preferred media type is that of a page.
            passed.insert(
                .labelled(SwiftName.label(choosing.argument.name), .name("." + first.name)),
                at: passed.count - 1)
        }
        let builder = Expression.call(.name("self.withResponse._" + plan.method), passed)
        let items = Expression.call("PagedItems", [builder, page.turn.expression] + span)
        return method(
            documentation(of: .pages), named: page.methodName, parameters(choosesType: false),
            returns: self.items(page),
            .block([.return(items)]))
    }

    private var responseMethod: SwiftDeclaration {
        let headers: SwiftType = plan.success.headersName.map { .declared($0) } ?? "UndocumentedHeaders"
        var statements: [Statement] = []
        let sent: Expression
        if plan.page != nil {
            sent = .call(.member(.call(.name("self._" + plan.method), passed()), "send"), [])
        } else {
            statements = build()
            sent =
                plan.success.reading == .stream
                ? .call("_request.open", span)
                : .call("_request.send", [])
        }
        statements += [
            .variable("let _reply", "OperationReply", .prefixed("await", sent)),
            .return(.prefixed("try", reading.on("_reply"))),
        ]
        return method(
            reference(with: "the response"), parameters(),
            returns: .generic("APIResponse", [value ?? "Void", headers]), .block(statements))
    }

    /// Builds the request of a page.
    private var pageBuilder: SwiftDeclaration {
        SwiftDeclaration(
            isVisible: false, "func _" + plan.method,
            .function(parameters(hasDefaults: false), returns: "RequestBuilder"),
            .block(build() + [.return("_request")]))
    }

    private func streamMethod(_ stream: OperationPlan.Stream) -> SwiftDeclaration {
        let events = Expression.call("EventStream", ["_request", stream.framing] + span)
        return method(
            documentation(of: .stream), named: SwiftName.escaped(stream.methodName),
            parameters(choosesType: false), returns: .generic("EventStream", [stream.elementType, failure]),
            .block(build(stream) + [.return(events)]))
    }

    /// The constant that describes the calls of a method, also those with alternative media types.
    private func descriptor(of method: String, accept: String) -> SwiftDeclaration {
        let operation = plan.operation
        let security: Expression = plan.security.map { .literal($0) } ?? "nil"
        let value = Expression.call(
            "OperationDescriptor",
            [
                .labelled("id", .literal(operation.name)),
                .labelled("method", .literal(operation.method)),
                .labelled("path", .literal(PathTemplate.request(operation.path))),
                .labelled("accept", .literal(accept)),
                .labelled("security", security),
                .labelled("idempotencyKey", operation.idempotencyKey?.expression ?? "nil"),
            ])
        return SwiftDeclaration(
            isVisible: false, "static let " + Self.descriptorName(method),
            .value(value))
    }

    private static func descriptorName(_ method: String) -> String { "_" + method + "Descriptor" }

    private func build(_ stream: OperationPlan.Stream? = nil) -> [Statement] {
        let operation = plan.operation
        let choosing = stream == nil ? plan.choosing.map { [$0.call] } ?? [] : []
        let calls = operation.servers.map(\.call) + plan.calls + choosing
        let descriptor = Expression.name("Self." + Self.descriptorName(stream?.methodName ?? plan.method))
        var result: [Statement] = [
            .variable(
                calls.isEmpty && plan.body == nil ? "let _request" : "var _request", "RequestBuilder",
                .call("RequestBuilder", ["self.client", descriptor, "options"]))
        ]
        result += calls.map { .expression($0.on("_request")) }
        guard var body = plan.body else { return result }
        if let change = stream?.bodySwitch {
            let flag = Expression.member(
                "_body", SwiftName.escaped(change.member.name),
                isOptional: operation.body?.isRequired != true)
            let isField = change.member.optionality == .field
            result += [
                .assign("var _body", "body"), .assign(flag, isField ? .call(".value", ["true"]) : "true"),
            ]
            body.arguments[0] = "_body"
        }
        return result + [.expression(body.on("_request"))]
    }

    /// The statuses of success.
    private var span: [Expression] {
        [
            .labelled("from", .name(String(plan.success.from))),
            .labelled("through", .name(String(plan.success.through))),
        ]
    }

    /// The call that reads the reply.
    private var reading: MethodCall { plan.success.reading.reply(span, .metatype(failure)) }

    // MARK: Types

    private func conformance(_ page: OperationPlan.Page) -> SwiftDeclaration {
        let members = page.members.map { member in
            SwiftDeclaration(
                "var " + member.name, .variable(member.type), .inline(.return(member.value.expression)))
        }
        return .extension(page.type.text(in: model.namespace), ["CursorPage"], [members])
    }
}

extension PageTurn {
    /// The runtime's value.
    fileprivate var expression: Expression {
        switch self {
        case .url: return "PageTurn.url"
        case .link: return "PageTurn.link"
        case .parameter(let kind, let parameter):
            let usual = kind == .number ? 1 : 0
            let first = parameter.first ?? usual
            var arguments: [Expression] = [.literal(parameter.name)]
            if first != usual { arguments.append(.labelled("first", .name(String(first)))) }
            let turn = Expression.call(.name("PageTurn." + kind.rawValue), arguments)
            guard parameter.isInBody else { return turn }
            return .call(.member(turn, "inBody"), parameter.isNumber ? [.labelled("isNumber", "true")] : [])
        }
    }
}
