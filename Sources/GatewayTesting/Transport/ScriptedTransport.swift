public import GatewayCore

/// A transport without a network: it responds as a script defines, and records the requests.
///
/// Like a real transport it rejects requests that ``HTTPRequest/validate()`` rejects, and sends nothing for a cancelled
/// task.
public final class ScriptedTransport: Transport {
    /// A scripted reply.
    public enum Reply: Sendable {
        /// A response.
        case response(status: Int, fields: HTTPFields = HTTPFields(), body: [UInt8] = [])
        /// A response whose body is a stream.
        case streamed(status: Int, fields: HTTPFields = HTTPFields(), HTTPBody.Chunks)
        /// An error. It counts as one attempt if it has no attempts, except in the phase ``NetworkError/Phase/queue``.
        case failure(NetworkError)

        /// A response with a status and a body in UTF-8.
        public static func status(_ status: Int, fields: HTTPFields = HTTPFields(), _ body: String = "")
            -> Reply
        {
            .response(status: status, fields: fields, body: Array(body.utf8))
        }
    }

    /// Returns the reply to a request. The index counts from 0.
    public typealias Script = @Sendable (_ request: HTTPRequest, _ index: Int) async -> Reply

    private let script: Script
    private let recorded = Locked<[HTTPRequest]>([])

    /// Creates a transport that replies with the results of a function.
    public init(_ script: @escaping Script) { self.script = script }

    /// Creates a transport that uses the replies in order, and then repeats the last one.
    ///
    /// Without replies every request fails with ``NetworkError/noConnection``.
    public convenience init(_ replies: Reply...) {
        self.init { _, index in
            replies.isEmpty
                ? .failure(NetworkError(.noConnection, "The script is empty."))
                : replies[min(index, replies.count - 1)]
        }
    }

    /// The requests so far, in the order they were sent.
    public var requests: [HTTPRequest] { recorded.withLock { $0 } }

    /// Records the request and returns the scripted reply.
    public func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError)
        -> HTTPResponse
    {
        try request.validate()
        guard !Task.isCancelled else {
            throw NetworkError(.cancelled, "The task was cancelled.", origin: request.origin)
        }
        let index = recorded.withLock { requests in
            requests.append(request)
            return requests.count - 1
        }
        let reply = await script(request, index)
        guard !Task.isCancelled else {
            throw NetworkError(
                .cancelled, "The task was cancelled.", origin: request.origin, attempts: 1,
                mayHaveBeenSent: true)
        }
        switch reply {
        case .response(let status, let fields, let body):
            return HTTPResponse(
                status: status, fields: fields, body: .bytes(body), exchange: Exchange(origin: request.origin)
            )
        case .streamed(let status, let fields, let chunks):
            return HTTPResponse(
                status: status, fields: fields, body: .stream(chunks),
                exchange: Exchange(origin: request.origin))
        case .failure(let error):
            throw error.attempts == 0 && error.phase != .queue ? error.with(attempts: 1) : error
        }
    }
}
