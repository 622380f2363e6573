public import GatewayCore
internal import GatewayJSON

/// Builds a request, with each part where the document says, and sends it.
///
/// The first value that cannot be encoded is remembered as an error, which ``send()`` returns without any I/O.
@_spi(Generated) public struct RequestBuilder: Sendable {
    let client: APIClient
    let operation: OperationDescriptor
    let options: CallOptions
    /// The path as far as it is filled in, and where in the template the rest begins.
    var path = ""
    var templatePosition = 0
    /// Parameters in order, encoded; one that is exploded may have several parts.
    var query: [(name: StaticString, text: String)] = []
    var cookies: [String] = []
    var fields = HTTPFields()
    var body = HTTPBody.empty
    /// The idempotency key that the caller passed as a parameter.
    var givenKey: String?
    private var server: OwnServer?
    /// The URL of a page, which takes the place of path and query.
    var continuation: String?
    private(set) var failure: NetworkError?

    /// Begins the request of an operation.
    public init(_ client: APIClient, _ operation: OperationDescriptor, _ options: CallOptions) {
        self.client = client
        self.operation = operation
        self.options = options.over(client.defaults)
        fields.append(.accept, "\(operation.accept)")
    }

    /// Sends this operation to a server of its own, unless the client was given one for everything. Of several it is the
    /// one named like the client's, else the first.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - template: its URL, with variables in braces; it may be relative to the client's.
    ///   - defaults: a line for each variable: its name, a tab, and its default.
    public mutating func server(
        _ name: StaticString, _ template: StaticString, _ defaults: StaticString = ""
    ) {
        guard !client.server.isForAll else { return }
        guard server == nil || "\(name)" == client.server.name else { return }
        server = OwnServer(name: name, template: template, defaults: defaults)
    }

    /// Makes the call. It never throws: the reply holds the outcome.
    public func send() async -> OperationReply {
        do throws(NetworkError) {
            let (request, context) = try prepared()
            let response = try await client.engine.send(request, context: context)
            if let bytes = response.body.bytes, bytes.count <= responseLimit {
                return reply(response, bytes, context.deadline)
            }
            return await collected(response, context.deadline)
        } catch {
            return reply(.failure(error))
        }
    }

    func reply(_ outcome: OperationReply.Outcome) -> OperationReply {
        OperationReply(operation: operation.id, client: client, outcome: outcome)
    }

    private func reply(
        _ response: HTTPResponse, _ body: [UInt8], _ deadline: Deadline?
    ) -> OperationReply {
        var documented = DocumentedResponse(status: response.status, fields: response.fields, body: body)
        documented.decoding = decoding(until: deadline)
        return reply(.response(documented, response.exchange))
    }

    /// Reads the body of a response. What arrives before a failure is kept, up to 64 KiB.
    func collected(_ response: HTTPResponse, _ deadline: Deadline?) async -> OperationReply {
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
            return reply(response, body, deadline)
        } catch {
            return reply(.unread(error, response, body))
        }
    }

    /// How the values of the call are decoded.
    func decoding(until deadline: Deadline?) -> BodyDecoding {
        var limits = JSONLimits()
        if let values = options.jsonValueLimit { limits.values = values }
        return BodyDecoding(limits: limits, deadline: deadline, clock: client.engine.clock)
    }

    /// The maximum size of a response, or of one value of a stream, in bytes.
    var responseLimit: Int { options.responseLimit ?? client.responseLimit }

    /// The request and its context. Both are validated here, before any I/O.
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
            !options.headers.contains(.idempotencyKey)
        {
            options.idempotencyKey = client.newIdempotencyKey(form)
        }
        var request = HTTPRequest(
            method: HTTPMethod("\(operation.method)"), origin: base.origin,
            target: try target(under: base.path), fields: fields, body: body)
        if let continuation {
            request.target = try target(of: continuation, from: base.origin, request.target)
        }
        if !cookies.isEmpty { request.fields.append(.cookie, cookies.joined(separator: "; ")) }
        request.apply(options)
        try request.validate()
        var context = RequestContext(
            options: options, operation: operation.id, clock: client.engine.clock)
        context.response = .collect(upToBytes: responseLimit)
        context.credentials = try client.credentials(for: operation, at: base.origin)
        return (request, context)
    }

    private func target(under prefix: String) throws(NetworkError) -> String {
        var target = prefix + path
        target += String(decoding: "\(operation.path)".utf8.dropFirst(templatePosition), as: UTF8.self)
        // "." and ".." would be another resource once somebody normalises the path (RFC 3986, section 5.2.4).
        // The template may have a query; what replaces a parameter has its "?" percent-encoded.
        for segment in target.prefix(while: { $0 != "?" }).split(separator: "/")
        where segment == "." || segment == ".." {
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

    func invalid(_ message: String) -> NetworkError {
        NetworkError(.invalidRequest, "\(operation.id): \(message)")
    }

    mutating func fail(_ message: String) { fail(invalid(message)) }

    /// Only the first error is kept.
    mutating func fail(_ error: NetworkError) {
        if failure == nil { failure = error }
    }
}
