public import GatewayCore
internal import GatewayJSON

/// Builds the request of an operation and sends it.
///
/// The first value that cannot be encoded is stored as an error. ``send()`` then returns this error without any I/O.
@_spi(Generated) public struct RequestBuilder: Sendable {
    let client: APIClient
    let operation: OperationDescriptor
    var options: CallOptions
    /// The path up to and including the last parameter that was set, and the offset of the remaining template.
    var path = ""
    var templatePosition = 0
    /// The encoded parameters in order. An exploded parameter can have several entries.
    var query: [(name: StaticString, text: String)] = []
    var cookies: [String] = []
    var fields = HTTPFields()
    var body = HTTPBody.empty
    /// The idempotency key that the caller passed as a parameter.
    var givenKey: String?
    private var server: OwnServer?
    /// The URL of the next page. It replaces path and query.
    var continuation: String?
    private(set) var failure: NetworkError?

    /// Creates a builder for the request of an operation.
    public init(_ client: APIClient, _ operation: OperationDescriptor, _ options: CallOptions) {
        self.client = client
        self.operation = operation
        self.options = client.services.operationOptions.merged(
            call: options, operation: operation.operation, client: client.defaults)
        fields.append(.accept, operation.accept)
    }

    /// Adds a server of the operation. It is ignored if the client's server applies to all operations. Of several
    /// servers, the one with the name of the client's server is used, otherwise the first.
    ///
    /// - Parameters:
    ///   - name: the name of the server.
    ///   - template: the URL, with variables in braces. It can be relative to the URL of the client's server.
    ///   - defaults: one line for each variable: name, tab and default value.
    public mutating func server(
        _ name: StaticString, _ template: StaticString, _ defaults: StaticString = ""
    ) {
        guard !client.server.isForAll else { return }
        guard server == nil || "\(name)" == client.server.name else { return }
        server = OwnServer(name: name, template: template, defaults: defaults)
    }

    /// Makes the call. It does not throw: the reply contains the response or the error.
    public func send() async -> OperationReply {
        var id: UInt64 = 0
        do throws(NetworkError) {
            let (request, context) = try begun(&id)
            let deadline = context.deadline
            let response = try await exchange(request, consume context)
            if let bytes = response.body.bytes, bytes.count <= responseLimit {
                return reply(response, deadline, id)
            }
            return await collected(response, deadline, id)
        } catch {
            return reply(.failure(error), id)
        }
    }

    /// Sends the request, or hands it to the current `CallInterception`, which prepares a call without sending it.
    func exchange(
        _ request: HTTPRequest, _ context: consuming RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        if let middleware = client.middleware {
            return try await exchange(request, consume context, through: middleware)
        }
        if let interception = CallInterception.current { return try interception.send(request, context) }
        return try await client.engine.send(request, context: context)
    }

    /// - Parameter id: the ID of the call.
    func reply(_ outcome: OperationReply.Outcome, _ id: UInt64) -> OperationReply {
        OperationReply(
            call: MiddlewareCall(operation: operation.operation, id: id), client: client,
            security: operation.security, hasOwnServer: server != nil, outcome: outcome)
    }

    private func reply(_ response: HTTPResponse, _ deadline: Deadline?, _ id: UInt64) -> OperationReply {
        reply(.response(DocumentedResponse(response, decoding: decoding(until: deadline))), id)
    }

    /// Collects the body of a response. On an error, up to 64 KiB of the received bytes are kept.
    func collected(_ response: HTTPResponse, _ deadline: Deadline?, _ id: UInt64) async -> OperationReply {
        var body: [UInt8] = []
        do throws(NetworkError) {
            for try await chunk in response.body {
                guard chunk.count <= responseLimit - body.count else {
                    body += chunk.prefix(FailedResponse.bodyLimit)
                    throw NetworkError(
                        .responseTooLarge, "The response is larger than the limit of \(responseLimit) bytes.",
                        origin: response.exchange.origin, status: response.status, mayHaveBeenSent: true)
                }
                body += chunk
            }
            var response = response
            response.body = .bytes(body)
            return reply(response, deadline, id)
        } catch {
            return reply(.unread(error, response, body), id)
        }
    }

    /// How the values of the call are decoded.
    func decoding(until deadline: Deadline?) -> BodyDecoding {
        var limits = JSONLimits()
        if let values = options.jsonValueLimit { limits.values = values }
        return BodyDecoding(limits: limits, deadline: deadline, clock: client.services.clock)
    }

    /// The maximum size of a response, or of one value of a stream, in bytes.
    var responseLimit: Int { options.responseLimit ?? client.responseLimit }

    /// The request and its context. A call that fails here is recorded too, unless it is only prepared.
    ///
    /// - Parameter id: becomes the ID of the call.
    func begun(_ id: inout UInt64) throws(NetworkError) -> (HTTPRequest, RequestContext) {
        do throws(NetworkError) {
            let (request, context) = try prepared()
            id = context.callID
            return (request, context)
        } catch {
            if CallInterception.current == nil { id = client.recordRefusal(error, of: operation, options) }
            throw error
        }
    }

    /// The request and its context. Both are validated, before any I/O.
    func prepared() throws(NetworkError) -> (HTTPRequest, RequestContext) {
        if let failure { throw failure }
        let base: ServerBase
        if let server {
            base = try server.base(at: client.server, try? client.base.get())
        } else {
            base = try client.base.get()
        }
        var options = options
        if let givenKey {
            options.idempotencyKey = givenKey
        } else if let form = operation.idempotencyKey, options.idempotencyKey == nil,
            !options.fields.contains(.idempotencyKey)
        {
            options.idempotencyKey = client.newIdempotencyKey(form)
        }
        var request = HTTPRequest(
            method: operation.method, origin: base.origin,
            target: try target(under: base.path), fields: fields, body: body)
        if let continuation {
            // The URL of a page already contains the query of the previous request.
            options.query = []
            request.target = try target(of: continuation, from: base.origin, request.target)
        }
        if !cookies.isEmpty { request.fields.append(.cookie, cookies.joined(separator: "; ")) }
        request.apply(options)
        var context = RequestContext(
            options: options, operation: operation.operation, response: .collect(upToBytes: responseLimit),
            clock: client.services.clock)
        context.isEndedByCaller = true
        if let problem = context.problem { throw problem }
        try request.validate()
        // A prepared call is sent later with the credentials of its sender, so a client without credentials can prepare
        // it.
        if CallInterception.current == nil {
            try client.authorize(&context, for: operation, at: base.origin)
        } else {
            context.isAnonymous = client.isAnonymous(operation)
        }
        return (request, context)
    }

    private func target(under prefix: String) throws(NetworkError) -> String {
        var target = prefix + path
        target += String(decoding: operation.path.utf8.dropFirst(templatePosition), as: UTF8.self)
        // A path with "." or ".." changes when it is normalized (RFC 3986, section 5.2.4).
        // The template can have a query; a "?" in a parameter is percent-encoded.
        for segment in target.prefix(while: { $0 != "?" }).split(separator: "/") where Self.isDots(segment) {
            throw invalid("A path parameter must not be '.' or '..'.")
        }
        if target.isEmpty { target = "/" }
        var separator = target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        for (_, text) in query {
            target += separator
            target += text
            separator = "&"
        }
        return target
    }

    /// Whether a segment is "." or "..", of which each "." can be percent-encoded.
    private static func isDots(_ segment: Substring) -> Bool {
        guard segment.utf8.count <= 6 else { return false }
        let text = segment.lowercased().replacing("%2e", with: ".")
        return text == "." || text == ".."
    }

    func invalid(_ message: String) -> NetworkError {
        NetworkError(.invalidRequest, "\(operation.id): \(message)")
    }

    mutating func fail(_ message: String) { fail(invalid(message)) }

    /// Stores an error. Only the first one is kept.
    mutating func fail(_ error: NetworkError) {
        if failure == nil { failure = error }
    }
}
