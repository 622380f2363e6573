import BookshopAPI
import GatewayClient

// The middleware of the page on generated clients, so that it is compiled; scripts/check-readme.sh compares the two.

/// Adds a header field.
struct TenantField: CallMiddleware {
    let tenant: String

    func willSend(_ request: inout HTTPRequest, of call: MiddlewareCall) async throws -> HTTPResponse? {
        request.fields["X-Tenant"] = tenant
        return nil
    }
}

/// Logs typed errors.
struct ErrorLog: CallMiddleware {
    func didFail(_ error: APIError<some DocumentedFailure>, of call: MiddlewareCall) {
        if case .documented(let failure) = error.failure {
            print(call.operation.id, error.status ?? 0, type(of: failure))
        } else {
            print(call.operation.id, error.code, error.requestID ?? "")
        }
    }
}

/// Answers from fixtures.
struct Fixtures: CallMiddleware {
    let bodies: [String: String]

    func willSend(_ request: inout HTTPRequest, of call: MiddlewareCall) async throws -> HTTPResponse? {
        guard let body = bodies[call.operation.id] else { return nil }
        return HTTPResponse(
            status: 200, fields: [.contentType: "application/json"], body: .bytes(Array(body.utf8)),
            exchange: Exchange(origin: request.origin, attempts: 0))
    }
}

/// A client with all of them.
func middleware() -> BookshopClient {
    let fixtures = Fixtures(bodies: ["getHealth": #"{"status":"up"}"#])
    let api = BookshopClient(middleware: [TenantField(tenant: "a"), ErrorLog(), fixtures])
    return api
}
