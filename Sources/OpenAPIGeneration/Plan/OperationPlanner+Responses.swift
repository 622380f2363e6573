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
        let readings = responses.map { self.reading($0, of: operation) }
        let headers = self.headers(responses)
        let headersName =
            headers.isEmpty
            ? nil : scope.claim(base + "Headers", for: NameLock.Place.headers(operation.pointer))
        var cases: [ResponseCase] = []
        var reading = readings.first ?? .empty
        if readings.contains(where: { $0 != reading }) {
            cases = self.cases(responses, of: operation)
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

    /// How the body of a response is read. A response to HEAD has none (RFC 9110, section 9.3.2).
    private func reading(_ response: Response, of operation: Operation) -> BodyReading {
        operation.method == "HEAD" ? .empty : .init(response.content, types)
    }

    private func cases(_ responses: [Response], of operation: Operation) -> [ResponseCase] {
        var scope = NameScope()
        return responses.map { response in
            ResponseCase(
                status: response.status, name: scope.claim(StatusNames.name(of: response.status)),
                body: reading(response, of: operation), text: response.text ?? "")
        }
    }

    /// The page type of an operation that supports pagination.
    func pagination(_ operation: Operation, _ success: OperationPlan.Success) -> OperationPlan.Page? {
        PaginationPlanner(
            operation: operation, success: success, fields: PageFields(types: types, members: members),
            interner: interner, override: operation.id.flatMap { pages[$0] }, sink: sink
        ).plan()
    }
}
