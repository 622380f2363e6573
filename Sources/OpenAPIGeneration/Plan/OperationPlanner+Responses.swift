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
        let all = responses.map { bodies($0, of: operation) }
        func places(_ body: Body, _ status: Response.Status) -> [String] {
            body.mediaTypes.map { NameLock.Place.response($0, status, of: operation.pointer) }
        }
        let known = zip(responses, all).flatMap { response, bodies in
            bodies.flatMap { places($0, response.status) }
        }
        var scope = NameScope(reserving: SwiftName.optionalCases, places: known, in: lock)
        let isLabelled = isSuccess && responses.count == 1 && all.contains { $0.count > 1 }
        let names = zip(responses, all).map { response, bodies in
            let word = StatusNames.name(of: response.status)
            guard !isLabelled else { return word }
            // A media type that became the preferred one leaves the name to the one that has it.
            let isTaken = bodies.dropFirst().contains { body in
                places(body, response.status).contains { lock[$0] == word }
            }
            let wanted = isTaken ? word + SwiftName.capitalised(bodies[0].label) : word
            return scope.claim(wanted, forOneOf: places(bodies[0], response.status))
        }
        return zip(zip(responses, all), names).flatMap { pair, name in
            let (response, bodies) = pair
            let word = StatusNames.name(of: response.status)
            return bodies.enumerated().map { index, body in
                let keys = places(body, response.status)
                let wanted =
                    isLabelled ? body.label : index == 0 ? word : word + SwiftName.capitalised(body.label)
                let own = index == 0 && !isLabelled ? name : scope.claim(wanted, forOneOf: keys)
                // No other media type can become the preferred one before JSON.
                let isSettled = bodies.count > 1 || own != wanted || body.mediaTypes != ["application/json"]
                return ResponseCase(
                    status: response.status, plainName: own, body: body.reading, text: response.text ?? "",
                    mediaTypes: bodies.count > 1 ? body.mediaTypes : [], places: isSettled ? keys : [],
                    isRenamed: own != wanted)
            }
        }
    }

    /// The media types of successful responses of which the caller can request one: those of an operation whose result
    /// depends on them.
    func choices(_ success: OperationPlan.Success, _ operation: Operation) -> [OperationPlan.Choice] {
        guard success.cases.contains(where: { !$0.mediaTypes.isEmpty }) else { return [] }
        let statuses = Set(success.cases.map(\.status))
        var seen: Set<String> = ["*/*"]
        var types: [String] = []
        for response in operation.responses where statuses.contains(response.status) {
            for content in response.contents {
                types += content.mediaTypes.filter { seen.insert($0).inserted }
            }
        }
        guard types.count > 1 else { return [] }
        let places = types.map { NameLock.Place.accept($0, of: operation.pointer) }
        var scope = NameScope(reserving: SwiftName.optionalCases, places: places, in: lock)
        return zip(types, places).map { type, place in
            OperationPlan.Choice(
                plainName: scope.claim(MediaContent.label(of: type), for: place), mediaType: type,
                place: place)
        }
    }

    /// The argument that requests one media type, and the builder's call.
    func acceptArgument(
        _ choices: [OperationPlan.Choice], _ success: OperationPlan.Success, _ operation: Operation,
        besides arguments: [OperationPlan.Argument]
    ) -> (argument: OperationPlan.Argument, call: MethodCall)? {
        guard !choices.isEmpty, case .several(let type) = success.reading else { return nil }
        let place = NameLock.Place.accept(of: operation.pointer)
        var scope = NameScope(
            reserving: Set(arguments.flatMap { [$0.name, $0.label ?? $0.name] }), places: [place], in: lock)
        let name = scope.claim("accept", for: place)
        let failures = AcceptField.failures(operation)
        return (
            OperationPlan.Argument(
                name: name, label: name, type: .declared(type + ".Accept"), isOptional: true,
                text: "The media type to request. By default all documented ones are.", place: place),
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
