extension OperationPlanner {
    /// The return value of an operation.
    func success(_ operation: Operation, base: String, scope: inout NameScope) -> OperationPlan.Success {
        var responses = operation.responses.filter { $0.status.isSuccess }
        if responses.isEmpty { responses = operation.responses.filter { $0.status == .default } }
        var from = 200
        var through = 299
        let exact = responses.compactMap { response -> Int? in
            if case .exactly(let status) = response.status { return status }
            return nil
        }
        if exact.count == responses.count, let low = exact.min(), let high = exact.max() {
            (from, through) = (low, high)
        }
        let readings = responses.flatMap { bodies($0, of: operation).map(\.reading) }
        let headers = self.headers(responses)
        let headersName =
            headers.isEmpty
            ? nil : scope.claim(base + "Headers", for: NameLock.Place.headers(operation.pointer))
        var cases: [ResponseCase] = []
        var reading = readings.first ?? .empty
        if readings.contains(where: { $0 != reading }) {
            cases = self.cases(responses, of: operation, isSuccess: true)
            reading = .several(scope.claim(base + "Success", for: NameLock.Place.success(operation.pointer)))
        }
        if reading == .bytes { reading = .stream }
        return OperationPlan.Success(
            reading: reading, from: from, through: through, cases: cases,
            headersName: headersName, headers: headers)
    }

    /// The error of an operation for documented failures.
    func failures(_ operation: Operation) -> [ResponseCase] {
        cases(operation.responses.filter { !$0.status.isSuccess }, of: operation)
    }

    private typealias Body = (reading: BodyReading, mediaTypes: [String], label: String)

    /// How the bodies of a response are read, the preferred one first. A response to HEAD has none (RFC 9110, section
    /// 9.3.2).
    private func bodies(_ response: Response, of operation: Operation) -> [Body] {
        var result: [Body] = []
        for content in operation.method == "HEAD" ? [] : response.contents {
            let reading = BodyReading(content, types)
            if let index = result.firstIndex(where: { $0.reading == reading }) {
                result[index].mediaTypes += content.mediaTypes
            } else {
                result.append((reading, content.mediaTypes, Self.label(of: content)))
            }
        }
        return result.isEmpty ? [(.empty, [], "")] : result
    }

    /// The word for the media types of a body in the name of its case.
    private static func label(of content: MediaContent) -> String {
        guard content.alternatives.count > 0, content.kind.codec == nil else { return content.label }
        return content.kind.decoding == .text ? "text" : "bytes"
    }

    /// One case for each response, or for each of its bodies that are read differently. The preferred body has the name
    /// of the status, unless all cases are bodies of one success: these are named after their media types.
    private func cases(
        _ responses: [Response], of operation: Operation, isSuccess: Bool = false
    ) -> [ResponseCase] {
        var scope = NameScope(reserving: SwiftName.optionalCases)
        let names = responses.map { scope.claim(StatusNames.name(of: $0.status)) }
        return zip(responses, names).flatMap { response, name in
            let bodies = bodies(response, of: operation)
            return bodies.enumerated().map { index, body in
                let label = body.label
                var own = name
                if bodies.count > 1, isSuccess, responses.count == 1 {
                    own = SwiftName.escaped(scope.claim(label))
                } else if index > 0 {
                    own = scope.claim(name + SwiftName.capitalised(label))
                }
                return ResponseCase(
                    status: response.status, name: own, body: body.reading, text: response.text ?? "",
                    mediaTypes: bodies.count > 1 ? body.mediaTypes : [])
            }
        }
    }

    /// The media types of successful responses of which the caller can request one: those of an operation whose result
    /// depends on them.
    func choices(_ success: OperationPlan.Success, _ operation: Operation) -> [OperationPlan.Choice] {
        guard success.cases.contains(where: { !$0.mediaTypes.isEmpty }) else { return [] }
        var scope = NameScope(reserving: SwiftName.optionalCases)
        var seen: Set<String> = ["*/*"]
        var result: [OperationPlan.Choice] = []
        let statuses = Set(success.cases.map(\.status))
        for response in operation.responses where statuses.contains(response.status) {
            for type in response.contents.flatMap(\.mediaTypes) where seen.insert(type).inserted {
                let name = SwiftName.escaped(scope.claim(MediaContent.label(of: type)))
                result.append(OperationPlan.Choice(name: name, mediaType: type))
            }
        }
        return result.count > 1 ? result : []
    }

    /// The argument that requests one media type, and the builder's call.
    func acceptArgument(
        _ choices: [OperationPlan.Choice], _ success: OperationPlan.Success, _ operation: Operation,
        besides arguments: [OperationPlan.Argument]
    ) -> (argument: OperationPlan.Argument, call: MethodCall)? {
        guard !choices.isEmpty, case .several(let type) = success.reading else { return nil }
        var scope = NameScope(reserving: Set(arguments.flatMap { [$0.name, $0.label ?? $0.name] }))
        let name = scope.claim("accept")
        let failures = AcceptField.failures(operation)
        return (
            OperationPlan.Argument(
                name: name, label: name, type: .declared(type + ".Accept"), isOptional: true,
                text: "The media type to request. By default all documented ones are."),
            MethodCall(
                method: "accept",
                arguments: [.member(.name(name), "rawValue", isOptional: true)]
                    + (failures.isEmpty ? [] : [.literal(failures.joined(separator: "\n"))]))
        )
    }

    /// The page type of an operation that supports pagination.
    func pagination(_ operation: Operation, _ success: OperationPlan.Success) -> OperationPlan.Page? {
        PaginationPlanner(
            operation: operation, success: success, fields: PageFields(types: types, members: members),
            interner: interner, override: operation.id.flatMap { pages[$0] }, sink: sink
        ).plan()
    }
}
