/// Converts operations to Swift methods. Unsupported parts are skipped with a warning.
struct OperationPlanner {
    let document: APIDocument
    let namespace: String
    let declarations: [JSONPointer: Declaration]
    let members: MemberPlans
    let types: SchemaTypes
    let identifiers: OperationIdentifiers
    let methods: MethodNames
    let groups: [JSONPointer: GroupPlan]
    /// operationId → configured pagination.
    let pages: [String: PaginationOverride]
    let interner: TypeInterner
    let directions: TypeDirections
    var lock = NameLock()
    let sink: DiagnosticSink

    /// In the order of the document's operations.
    func plans(scope: inout NameScope) -> [OperationPlan] {
        var derived = DerivedMethodNames(
            document.operations, methods: methods, groups: groups, lock: lock, sink: sink)
        // The plan that declares the conformance of each type of pages.
        var pages = [JSONPointer: Int]()
        var result: [OperationPlan] = []
        for operation in document.operations {
            let call = call(operation)
            let group = groups[operation.pointer]?.type
            let base = identifiers[operation]
            let failureName = scope.claim(base + "Failure", for: NameLock.Place.failure(operation.pointer))
            let success = success(operation, base: base, scope: &scope)
            var stream = stream(operation, method: methods[operation])
            if let found = stream, !found.isOnly {
                stream?.methodName = derived.stream(found.methodName, of: operation)
            }
            var page = pagination(operation, success)
            if let found = page, let identity = found.identity {
                page = shared(found, pages[identity], operation, &result)
                if pages[identity] == nil { pages[identity] = result.count }
            }
            if page != nil { page?.methodName = derived.pages(methods[operation] + "All", of: operation) }
            func plan(
                _ operation: Operation, _ call: Call, page: OperationPlan.Page?,
                _ stream: OperationPlan.Stream?
            ) -> OperationPlan {
                let choices = choices(success, operation)
                return OperationPlan(
                    operation: operation, group: group, method: methods[operation],
                    arguments: call.arguments, calls: call.calls, body: call.body, choices: choices,
                    choosing: acceptArgument(choices, success, operation, besides: call.arguments),
                    accept: AcceptField.value(operation),
                    security: security(operation), success: success,
                    failure: FailurePlan(
                        name: failureName, operationName: operation.name, cases: failures(operation),
                        headers: headers(operation.responses.filter { !$0.status.isSuccess })),
                    page: page, stream: stream)
            }
            var whole = plan(operation, call, page: page, stream)
            whole.alternatives = alternatives(operation).map { other in
                var own = self.stream(other.operation, method: methods[operation])
                if let stream { own?.methodName = stream.methodName }
                return plan(other.operation, other.call, page: nil, own)
            }
            result.append(whole)
        }
        return result
    }

    /// The page of an operation that has the same page type as an earlier one. A type can have only one conformance;
    /// with a configured pagination, compatible conformances are merged.
    private func shared(
        _ page: OperationPlan.Page, _ declaring: Int?, _ operation: Operation, _ plans: inout [OperationPlan]
    ) -> OperationPlan.Page? {
        guard let declaring, let first = plans[declaring].page else { return page }
        var page = page
        page.declaresConformance = false
        if page.conforms(as: first) { return page }
        let reason = "another operation uses the page type with different fields"
        guard operation.id.flatMap({ pages[$0] }) != nil else {
            sink.warn(
                .unsupportedOperation,
                "no method for all pages: \(reason); configure \"pagination\" for this operation",
                at: operation.position)
            return nil
        }
        var members = first.members
        for member in page.members {
            if let known = members.first(where: { $0.name == member.name }) {
                guard known.value.expression == member.value.expression else {
                    sink.warn(.configuration, "pagination is skipped: \(reason)", at: operation.position)
                    return nil
                }
            } else {
                members.append(member)
            }
        }
        plans[declaring].page?.members = members
        return page
    }

    private typealias Call = (arguments: [OperationPlan.Argument], calls: [MethodCall], body: MethodCall?)

    /// The operation with each alternative media type.
    private func alternatives(_ operation: Operation) -> [(operation: Operation, call: Call)] {
        guard let body = operation.body else { return [] }
        var labels = Set<String>()
        return body.alternatives.map { content in
            var other = operation
            other.body = RequestBody(
                isRequired: true, text: body.text, content: content, position: body.position)
            let call = call(other, labels: labels)
            labels.formUnion(call.arguments.filter { $0.name == "body" }.compactMap(\.label))
            return (other, call)
        }
    }

    /// Alternatives joined by line ends, their schemes by tabs, scopes by spaces; empty for no credentials, nil if
    /// the document says nothing. A space in the name of a scheme is written as U+0001.
    private func security(_ operation: Operation) -> String? {
        let alternatives = operation.security.alternatives
        guard !alternatives.isEmpty else { return nil }
        return alternatives.map { schemes in
            schemes.map { scheme in
                let name = scheme.name.replacing(" ", with: "\u{1}")
                return ([name] + scheme.scopes).joined(separator: " ")
            }.joined(separator: "\t")
        }.joined(separator: "\n")
    }

    /// The arguments of an operation and the builder's calls.
    ///
    /// - Parameter labels: For a body with an alternative media type, the labels in use.
    private func call(_ operation: Operation, labels: Set<String>? = nil) -> Call {
        var scope = argumentScope(operation)
        var required: [OperationPlan.Argument] = []
        var optional: [OperationPlan.Argument] = []
        var calls = [Parameter.Location: [MethodCall]]()
        var checks: [MethodCall] = []
        // A path can contain a parameter several times: one call for each occurrence, in order.
        var pathCalls = [ExactText: MethodCall]()
        let encoder = ParameterEncoder(types: types, declarations: declarations)
        for parameter in operation.parameters {
            var encoding = parameter.form.map { formQuery($0) } ?? encoder.encode(parameter)
            if let problem = encoder.problem(of: parameter) {
                sink.warn(.unsupportedParameter, problem, at: parameter.position)
            }
            // The client generates a key if the caller passes none.
            let isKey = IdempotencyKeyReader.isKey(parameter)
            let isOptional = !parameter.isRequired || (isKey && operation.idempotencyKey != nil)
            if isKey, encoding.method == "header" { encoding.method = "idempotencyKey" }
            var member = SwiftName.member(parameter.name)
            if member == "body" || member == "options" { member += "Parameter" }
            let place = NameLock.Place.argument(parameter, of: operation.pointer)
            let name = scope.claim(member, for: place)
            let argument = OperationPlan.Argument(
                name: name, label: name, type: encoding.type, isOptional: isOptional,
                text: ParameterText.text(
                    of: parameter, isGenerated: isKey && operation.idempotencyKey != nil),
                place: place)
            if isOptional { optional.append(argument) } else { required.append(argument) }
            if let row = document.rules[parameter.part] {
                checks.append(check(row, parameter.location.rawValue + " " + parameter.name, argument))
            }
            let call = MethodCall(
                method: encoding.method,
                arguments: [.literal(parameter.name), argument.value] + encoding.style)
            if parameter.location == .path {
                pathCalls[parameter.name] = call
            } else {
                calls[parameter.location, default: []].append(call)
            }
        }
        var all = required
        var allCalls =
            checks + PathTemplate.names(operation.path).compactMap { pathCalls[$0] } + (calls[.query] ?? [])
            + (calls[.header] ?? []) + (calls[.cookie] ?? [])
        var bodyCall: MethodCall?
        if let body = operation.body {
            let (type, call) = self.bodyCall(body, isAlternative: labels != nil)
            var label: String?
            if let labels {
                for name in labels.sorted() { _ = scope.claim(name) }
                label = scope.claim(body.content.label)
            }
            let argument = OperationPlan.Argument(
                name: "body", label: label, type: type, isOptional: !body.isRequired, text: body.text)
            all.append(argument)
            // Raw bodies are not validated.
            if let row = document.rules[body.content.part], type != "HTTPBody" {
                var check = self.check(row, "body", argument)
                if call.method == "multipartBody" { check.method = "checkParts" }
                allCalls.append(check)
            }
            bodyCall = call
        }
        return (all + optional, allCalls, bodyCall)
    }

    /// The names of an operation's arguments, with those that are locked.
    private func argumentScope(_ operation: Operation) -> NameScope {
        let places =
            operation.parameters.map { NameLock.Place.argument($0, of: operation.pointer) }
            + [NameLock.Place.accept(of: operation.pointer)]
        return NameScope(reserving: ["body", "options"], places: places, in: lock)
    }

    private func check(_ row: Int, _ subject: String, _ argument: OperationPlan.Argument) -> MethodCall {
        MethodCall(
            method: "check",
            arguments: [
                .name(namespace + "._rules"), .name(String(row)), .literal(subject), argument.value,
            ])
    }
}
