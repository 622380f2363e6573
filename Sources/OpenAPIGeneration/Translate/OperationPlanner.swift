/// Converts operations to Swift methods. Unsupported parts are skipped with a warning.
struct OperationPlanner {
    let document: APIDocument
    let namespace: String
    let declarations: [JSONPointer: Declaration]
    let members: MemberPlans
    let types: TypeText
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
        var pages: [JSONPointer: Int] = [:]
        var result: [OperationPlan] = []
        for operation in document.operations {
            let call = call(operation)
            let group = groups[operation.pointer]?.type
            let base = identifiers[operation]
            let failureName = scope.claim(
                base + "Failure", for: NameLock.Place.failure(operation.pointer))
            let success = success(operation, base: base, scope: &scope)
            var stream = stream(operation, success, method: methods[operation])
            if let found = stream, !found.isOnly {
                stream?.methodName = derived.stream(found.methodName, of: operation)
            }
            var page = pagination(operation, success)
            if let found = page, let identity = found.identity {
                page = shared(found, pages[identity], operation, &result)
                if pages[identity] == nil { pages[identity] = result.count }
            }
            if page != nil {
                page?.methodName = derived.pages(methods[operation] + "All", of: operation)
            }
            func plan(
                _ operation: Operation, _ call: Call, page: OperationPlan.Page?,
                _ stream: OperationPlan.Stream?
            ) -> OperationPlan {
                OperationPlan(
                    operation: operation, group: group, method: SwiftName.escaped(methods[operation]),
                    arguments: call.arguments, calls: call.calls, accept: AcceptField.value(operation),
                    security: security(operation), success: success,
                    failureType: namespace + "." + failureName,
                    failure: FailurePlan(
                        name: failureName,
                        operationName: operation.id ?? operation.method + " " + operation.path,
                        cases: failures(operation),
                        headers: headers(operation.responses.filter { !$0.status.isSuccess })),
                    page: page, stream: stream, builder: methods[operation])
            }
            var whole = plan(operation, call, page: page, stream)
            whole.alternatives = alternatives(operation).map { other in
                var own = self.stream(other.operation, success, method: methods[operation])
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
        if page.conformance == first.conformance { return page }
        let reason = "another operation uses the page type with different fields"
        guard operation.id.flatMap({ pages[$0] }) != nil else {
            sink.report(
                .warning(
                    .unsupportedOperation,
                    "no method for all pages: \(reason); configure \"pagination\" for this operation",
                    at: operation.position))
            return nil
        }
        var members = first.members
        for member in page.members {
            if let known = members.first(where: { $0.name == member.name }) {
                guard known.value.text == member.value.text else {
                    sink.report(
                        .warning(
                            .configuration,
                            "pagination is skipped: \(reason)",
                            at: operation.position))
                    return nil
                }
            } else {
                members.append(member)
            }
        }
        plans[declaring].page?.members = members
        return page
    }

    private typealias Call = (arguments: [OperationPlan.Argument], calls: [String])

    /// The operation with each alternative media type.
    private func alternatives(_ operation: Operation) -> [(operation: Operation, call: Call)] {
        guard let body = operation.body else { return [] }
        var labels: Set<String> = []
        return body.alternatives.map { content in
            var other = operation
            other.body = RequestBody(
                isRequired: true, text: body.text, content: content, position: body.position)
            return (other, call(other, labels: &labels))
        }
    }

    /// Alternatives joined by line ends, their schemes by tabs, scopes by spaces; nil for no credentials. A space in the name
    /// of a scheme is written as U+0001.
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
    private func call(_ operation: Operation) -> Call {
        var none: Set<String>?
        return call(operation, labels: &none)
    }

    /// The same for a body with an alternative media type; `labels` are the labels in use.
    private func call(_ operation: Operation, labels: inout Set<String>) -> Call {
        var all: Set<String>? = labels
        defer { labels = all ?? [] }
        return call(operation, labels: &all)
    }

    private func call(_ operation: Operation, labels: inout Set<String>?) -> Call {
        var scope = argumentScope(operation)
        var required: [OperationPlan.Argument] = []
        var optional: [OperationPlan.Argument] = []
        var calls: [Parameter.Location: [String]] = [:]
        var checks: [String] = []
        // A path can contain a parameter several times: one call for each occurrence, in order.
        var pathCalls: [String: String] = [:]
        let encoder = ParameterEncoder(types: types, declarations: declarations)
        for parameter in operation.parameters {
            var encoding = encoder.encode(parameter)
            // The client generates a key if the caller passes none.
            let isKey = IdempotencyKeyReader.isKey(parameter)
            let isOptional = !parameter.isRequired || (isKey && operation.idempotencyKey != nil)
            if isKey, encoding.method == "header" { encoding.method = "idempotencyKey" }
            var member = SwiftName.member(parameter.name)
            if member == "body" || member == "options" { member += "Parameter" }
            let place = NameLock.Place.argument(parameter, of: operation.pointer)
            let plain = scope.claim(member, for: place)
            let name = SwiftName.escaped(plain)
            let argument = OperationPlan.Argument(
                name: name, label: SwiftName.label(plain), isUnlabelled: false, type: encoding.type,
                isOptional: isOptional,
                text: ParameterText.text(
                    of: parameter, isGenerated: isKey && operation.idempotencyKey != nil),
                settled: (place: place, name: plain))
            if isOptional { optional.append(argument) } else { required.append(argument) }
            if let row = document.rules[parameter.part] {
                checks.append(check(row, parameter.location.rawValue + " " + parameter.name, name))
            }
            let call =
                encoding.method + "(" + SwiftText.literal(parameter.name) + ", " + name + encoding.style
                + ")"
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
        if let body = operation.body {
            let (type, call) = bodyCall(body, isAlternative: labels != nil)
            var label = "_"
            if let taken = labels {
                for name in taken.sorted() { _ = scope.claim(name) }
                label = scope.claim(body.content.label)
                labels?.insert(label)
            }
            all.append(
                OperationPlan.Argument(
                    name: "body", label: SwiftName.label(label), isUnlabelled: labels == nil, type: type,
                    isOptional: !body.isRequired, text: body.text, hasOwnLabel: labels != nil))
            // Raw bodies are not validated.
            if let row = document.rules[body.content.part], type != "HTTPBody" {
                let method = call.hasPrefix("multipartBody") ? "checkParts" : "check"
                allCalls.append(check(row, "body", "body", method))
            }
            allCalls.append(call)
        }
        return (all + optional, allCalls)
    }

    /// The names of an operation's arguments, with those that are locked.
    private func argumentScope(_ operation: Operation) -> NameScope {
        let reserved: Set<String> = ["body", "options"]
        var held: [String: String] = [:]
        for parameter in operation.parameters where lock.hasMembers {
            let place = NameLock.Place.argument(parameter, of: operation.pointer)
            if let name = lock.locked[place], !reserved.contains(name) { held[place] = name }
        }
        return NameScope(reserving: reserved, held: held)
    }

    private func check(_ row: Int, _ subject: String, _ value: String, _ method: String = "check") -> String {
        "\(method)(\(namespace)._rules, \(row), \(SwiftText.literal(subject)), \(value))"
    }
}
