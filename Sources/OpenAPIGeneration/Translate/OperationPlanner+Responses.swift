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
        let readings = responses.map {
            operation.method == "HEAD" ? BodyReading.empty : .init($0.content, types)
        }
        let headers = self.headers(responses)
        let headersName =
            headers.isEmpty
            ? nil : scope.claim(base + "Headers", for: NameLock.Place.headers(operation.pointer))
        var cases: [ResponseCase] = []
        var reading = readings.first ?? .empty
        if readings.contains(where: { $0 != reading }) {
            cases = self.cases(responses)
            reading = .several(scope.claim(base + "Success", for: NameLock.Place.success(operation.pointer)))
        }
        if reading == .bytes { reading = .stream }
        return OperationPlan.Success(
            reading: reading, from: from, through: through, cases: cases,
            headersName: headersName, headers: headers)
    }

    /// The error of an operation for documented failures.
    func failures(_ operation: Operation) -> [ResponseCase] {
        cases(operation.responses.filter { !$0.status.isSuccess })
    }

    private func cases(_ responses: [Response]) -> [ResponseCase] {
        var scope = NameScope()
        return responses.map { response in
            ResponseCase(
                status: response.status, name: scope.claim(StatusNames.name(of: response.status)),
                body: .init(response.content, types), text: response.text ?? "")
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

extension MemberPlan {
    /// Whether the value is an array.
    var isArray: Bool { schema.shape.items != nil }
}

/// The names of statuses, from the IANA registry.
enum StatusNames {
    static func name(of status: Response.Status) -> String {
        switch status {
        case .exactly(let code): names[code] ?? "status\(code)"
        case .range(1): "informational"
        case .range(2): "success"
        case .range(3): "redirection"
        case .range(4): "clientError"
        case .range: "serverError"
        case .default: "other"
        }
    }

    private static let names: [Int: String] = [
        200: "ok", 201: "created", 202: "accepted", 204: "noContent", 206: "partialContent",
        400: "badRequest", 401: "unauthorized", 402: "paymentRequired", 403: "forbidden", 404: "notFound",
        405: "methodNotAllowed", 406: "notAcceptable", 407: "proxyAuthenticationRequired",
        408: "requestTimeout", 409: "conflict", 410: "gone", 411: "lengthRequired", 412: "preconditionFailed",
        413: "contentTooLarge", 414: "uriTooLong", 415: "unsupportedMediaType", 416: "rangeNotSatisfiable",
        417: "expectationFailed", 421: "misdirectedRequest", 422: "unprocessableContent", 423: "locked",
        424: "failedDependency", 425: "tooEarly", 426: "upgradeRequired", 428: "preconditionRequired",
        429: "tooManyRequests", 431: "requestHeaderFieldsTooLarge", 451: "unavailableForLegalReasons",
        500: "internalServerError", 501: "notImplemented", 502: "badGateway", 503: "serviceUnavailable",
        504: "gatewayTimeout",
    ]
}
