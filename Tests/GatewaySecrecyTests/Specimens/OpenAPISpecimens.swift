import GatewayAuth
import GatewayCore
import GatewayJSON
import GatewayTesting

@_spi(Generated) @testable import GatewayOpenAPI

enum OpenAPISpecimens {
    /// Middleware of the user's own that holds a secret.
    private struct LeakyMiddleware: CallMiddleware { var secret = Marker.text }

    /// A documented failure whose body holds a secret. An error with it must not print it.
    private struct Failure: DocumentedFailure {
        var secret = Marker.text
        init() {}
        init?(response: DocumentedResponse) throws(JSONError) {}
    }

    private struct Page: CursorPage, JSONDecodable {
        var _pageItems = [Marker.text]
        var _pageCursor: String? = Marker.text
        init() {}
        init(json: JSONElement) throws(JSONError) {}
    }

    private static let fields: HTTPFields = ["Set-Cookie": Marker.text, "Link": Marker.text]

    private static func credentials() throws -> ConfiguredCredentials {
        var credentials = ConfiguredCredentials()
        credentials.oauth("oauth", .clientCredentials(id: "client", secret: Marker.text))
        credentials.openID(
            "openID", .acquirer(Leaky()), url: "https://login.example.com/.well-known/openid-configuration")
        credentials.bearer("bearer", .token(Marker.text))
        credentials.basic("basic", BasicCredential(user: Marker.text, password: Marker.text))
        credentials.apiKeyHeader("header", APIKeyCredential(Marker.text), "X-Key")
        credentials.apiKeyQuery("query", APIKeyCredential(Marker.text), "key")
        credentials.apiKeyCookie("cookie", APIKeyCredential(Marker.text), "key")
        credentials.custom(
            "custom", .custom { [secret = Marker.text] in $0.fields[.cookie] = secret }, "digest")
        credentials.mutualTLS("mutualTLS")
        return credentials
    }

    private static func request(_ engine: any RequestEngine = Leaky()) throws -> RequestBuilder {
        let client = APIClient(
            server: ServerChoice(
                "main", "https://api.example.com/{tenant}", ["tenant", Marker.token]),
            credentials: try credentials(),
            defaults: CallOptions(idempotencyKey: Marker.text, fields: ["Cookie": Marker.text]),
            middleware: [LeakyMiddleware()], engine: engine)
        var request = RequestBuilder(
            client,
            OperationDescriptor(
                id: "list", method: "POST", path: "/{id}", accept: "application/json", security: nil,
                idempotencyKey: .uuid),
            CallOptions(retry: Leaky(), idempotencyKey: Marker.text, fields: ["Cookie": Marker.text]))
        request.path("id", Marker.text)
        request.query("key", Marker.text)
        request.header("X-Key", Marker.text)
        request.cookie("key", Marker.text)
        request.idempotencyKey("Idempotency-Key", Marker.text)
        request.jsonBody(Marker.text, "application/json")
        return request
    }

    static func credentialTypes() throws -> [Any] {
        let login = OAuthLogin(client: .basic(clientID: "client", secret: Secret(Marker.text)))
        let tokens: [OAuthCredential] = [
            .token(Marker.text), .provider(Leaky()), .acquirer(Leaky()), .login(login),
            .clientCredentials(id: Marker.text, secret: Marker.text), .file("/run/secrets/\(Marker.text)"),
            .refreshToken(Marker.text, clientID: Marker.text, clientSecret: Marker.text),
            .coordinator(TokenRefreshCoordinator(acquirer: Leaky())),
        ]
        return [
            login, APIKeyCredential(Marker.text), APIKeyCredential(reading: { Secret(Marker.text) }),
            BasicCredential(user: Marker.text, password: Marker.text), BearerCredential.token(Marker.text),
            CustomCredential.custom { [secret = Marker.text] in $0.fields[.cookie] = secret },
            try credentials(), SecurityOptions(preferred: ["oauth"], origins: ["https://api.example.com"]),
            TokenScopes.exactly(["books:read"]),
        ] + tokens
    }

    static func calls() throws -> [Any] {
        let request = try request()
        let exchange = Exchange(origin: try Origin("https://api.example.com"))
        let received = HTTPResponse(
            status: 200, fields: fields, body: .bytes(Marker.bytes), exchange: exchange)
        let response = DocumentedResponse(received)
        let outcomes: [OperationReply.Outcome] = [
            .response(response), .stream(received),
            .failure(NetworkError(.timeout, "late", underlying: LeakyError())),
            .unread(
                NetworkError(.timeout, "late", underlying: LeakyError()),
                HTTPResponse(status: 200, fields: fields, exchange: exchange), Marker.bytes),
        ]
        var writer = MultipartWriter(boundary: "boundary")
        writer.text("name", Marker.text)
        writer.json("json", Marker.text)
        let file = MultipartFile.bytes(Marker.bytes, filename: Marker.text, contentType: Marker.text)
        writer.file("file", file)
        return [
            request.client, request, request.operation, IdempotencyKeyForm.uuid, response, file, writer,
            ServerChoice(url: "https://api.example.com/?key=\(Marker.token)"),
            APIResponse<String, UndocumentedHeaders>(value: Marker.text, fields: fields),
            UndocumentedHeaders(fields: fields), EmptyErrorLayout(),
            ReceivedWebhook(body: Marker.bytes, fields: fields), try verifier(),
            WebhookError(.headerMissing, "A header field is missing.", field: "webhook-id"),
            ConstraintViolation(subject: "body", path: "$.name", constraint: .maxLength, bound: "8"),
            MiddlewareChain([LeakyMiddleware()]), MiddlewareCall(operation: "list"), RequestRules(text: ""),
            PageTurn.cursor("cursor"), MultipartFileOr<String>.file(file),
        ] + outcomes.map { request.reply($0, 7) }
    }

    /// Errors whose responses hold a secret in every field, of each kind.
    static func errors() throws -> [Any] {
        let problem = #"{"type":"\#(Marker.text)","status":404,"detail":"\#(Marker.text)"}"#
        let response = FailedResponse(
            status: 404, fields: ["Set-Cookie": Marker.text, "Content-Type": "application/problem+json"],
            body: Array(problem.utf8), decodingError: LeakyError())
        let late = NetworkError(.timeout, "late", response: response, underlying: LeakyError())
        let errors = [
            APIError(documented: Failure(), response: response, operation: "list"),
            APIError(undocumented: response, operation: "list"),
            APIError(failed: late, operation: "list", response: response),
        ]
        let details = ProblemDetails(
            type: Marker.text, title: Marker.text, status: 404, detail: Marker.text, instance: Marker.text,
            extensions: [Marker.text: .string(Marker.text)])
        return errors + errors.map(\.failure)
            + [details, try response.json(ProblemDetails.self), errors[0].problem as Any]
    }

    private static func verifier() throws -> WebhookVerifier {
        let secret = Base64.encode(Marker.bytes + Marker.bytes + Marker.bytes)
        return try WebhookVerifier(secrets: [Secret("whsec_" + secret)])
    }

    /// Sequences before and after their first element.
    static func sequences() async throws -> [Any] {
        let stream = #"id: \#(Marker.text)\#ndata: "\#(Marker.text)"\#n\#ndata: "\#(Marker.text)"\#n\#n"#
        let page = #"{"\#(Marker.text)":"\#(Marker.text)"}"#
        let events = ScriptedTransport(.status(200, fields: ["Content-Type": "text/event-stream"], stream))
        let pages = ScriptedTransport(.status(200, fields: ["Content-Type": "application/json"], page))
        let streaming = try request(ScriptedEngine(transport: events))
        let paging = try request(ScriptedEngine(transport: pages))
        let typed = EventStream<String, NoDocumentedFailure>(streaming, .events, from: 200, through: 299)
        let messages = typed.messages
        let items = PagedItems<Page, NoDocumentedFailure>(paging, .cursor("cursor"), from: 200, through: 299)
        let fixed = PagedItems<Page, NoDocumentedFailure>(pages: [Page()])
        var (oneMessage, oneEvent) = (messages.makeAsyncIterator(), typed.makeAsyncIterator())
        var (oneItem, onePage) = (items.makeAsyncIterator(), items.pages.makeAsyncIterator())
        var found: [Any] = [
            messages, typed, typed.resuming(), items, items.pages, fixed, fixed.pages, oneMessage, oneEvent,
            oneItem, StreamResumption(),
        ]
        let event = try await oneMessage.next()
        found += [event as Any, try await oneEvent.next() as Any, try await oneItem.next() as Any]
        // The elements of typed streams and pages are the user's own values.
        found.removeLast(2)
        found += [try await onePage.next() as Any, oneMessage, oneEvent, oneItem, onePage]
        return found + [ServerSentEvent(type: Marker.text, data: Marker.text, id: Marker.text)]
    }

    private struct ScriptedEngine: RequestEngine {
        let services = EngineServices()
        let transport: ScriptedTransport
        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            try await transport.send(request, context: context)
        }
    }
}
