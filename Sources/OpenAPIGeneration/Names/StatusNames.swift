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
