/// Decides when an attempt may be made: a circuit breaker, a bulkhead, the connection slots of a transport, or several
/// of them.
///
/// It is asked when the credential is ready and before the request is stamped, so that an attempt that waits here
/// carries the newest credential when it is sent.
///
/// A control that orders waiting attempts by ``RequestContext/priority`` reads it when it chooses the next one, or when
/// ``priorityRaised(_:)`` is called: the priority of an attempt rises when an equal call of a higher priority joins it.
public protocol AdmissionControl: Sendable {
    /// Returns when the attempt may be made.
    ///
    /// - Throws: ``NetworkError`` if it may not, such as ``NetworkError/overloaded`` or ``NetworkError/circuitOpen``.
    func enter(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> any AdmissionPermit

    /// The permit of an attempt that need not wait; `nil` if ``enter(_:context:)`` must be called. Defaults to `nil`.
    /// Implement it to save an async call if most attempts are admitted immediately.
    ///
    /// - Throws: ``NetworkError`` if the attempt may not be made.
    func enterNow(
        _ request: HTTPRequest, context: RequestContext
    ) throws(NetworkError) -> (any AdmissionPermit)?

    /// The priority of a call has risen: attempts of it may wait here. Does nothing by default.
    func priorityRaised(_ context: RequestContext)
}

extension AdmissionControl {
    /// Returns `nil`.
    public func enterNow(
        _ request: HTTPRequest, context: RequestContext
    ) throws(NetworkError) -> (any AdmissionPermit)? { nil }

    /// Does nothing.
    public func priorityRaised(_ context: RequestContext) {}
}

/// The permission to make one attempt. It is ended exactly once.
///
/// A permit of at most three words, such as a struct with a reference and a few numbers, needs no allocation.
public protocol AdmissionPermit: Sendable {
    /// Returns the permit.
    func end(_ outcome: AdmissionOutcome)

    /// The head of a streamed response has arrived. Returns the permit to end with the body; `nil` if this one has
    /// ended and nothing depends on the body. Returns itself by default.
    func responded(status: Int) -> (any AdmissionPermit)?

    /// How long the attempt waited for a connection of its transport, whose limits of the whole exchange include that
    /// wait. Zero by default.
    var connectionWait: Duration { get }

    /// Whether the attempt has waited for the permit, so that its credential may have expired in the meantime. Defaults
    /// to whether it has waited for a connection.
    var hasWaited: Bool { get }
}

extension AdmissionPermit {
    /// Returns itself.
    public func responded(status: Int) -> (any AdmissionPermit)? { self }
    /// Zero.
    public var connectionWait: Duration { .zero }
    /// Whether ``connectionWait`` is more than zero.
    public var hasWaited: Bool { connectionWait > .zero }
}

/// What became of an attempt that had a permit.
public enum AdmissionOutcome: Sendable {
    /// It has a response of this status, and its body has ended or is no longer read.
    case response(status: Int)
    /// It failed, or its body did.
    case failed(NetworkError)
    /// Nothing was sent: the credential was gone, or another control did not admit it. It says nothing about the
    /// server.
    case notSent
}

/// Ends a permit when the body of a streamed response ends, fails, or is given up.
final class PermittedBody: Sendable {
    private let permit: Locked<(any AdmissionPermit)?>
    private let status: Int

    init(_ permit: any AdmissionPermit, status: Int) {
        self.permit = Locked(permit)
        self.status = status
    }

    deinit { end(nil) }

    func end(_ error: NetworkError?) {
        let permit = permit.withLock { permit in
            defer { permit = nil }
            return permit
        }
        permit?.end(error.map { .failed($0) } ?? .response(status: status))
    }
}

extension ResponseBody {
    /// The same body; a stream ends the permit with its end.
    package func ending(_ permit: any AdmissionPermit, status: Int) -> ResponseBody {
        guard case .stream(let once) = storage, let chunks = once.take() else {
            permit.end(.response(status: status))
            return self
        }
        return .stream(PermittedChunks(chunks: chunks, body: PermittedBody(permit, status: status)))
    }
}

/// The chunks of a body; the end of the body ends the permit.
private struct PermittedChunks: AsyncSequence, Sendable {
    let chunks: HTTPBody.Chunks
    let body: PermittedBody

    struct Iterator: AsyncIteratorProtocol {
        var chunks: any AsyncIteratorProtocol<HTTPBody.Chunk, any Error>
        let body: PermittedBody

        mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(any Error) -> HTTPBody.Chunk? {
            do {
                let chunk = try await chunks.next(isolation: actor)
                if chunk == nil { body.end(nil) }
                return chunk
            } catch {
                body.end(NetworkError(wrapping: error))
                throw error
            }
        }

        mutating func next() async throws -> HTTPBody.Chunk? { try await next(isolation: nil) }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(chunks: chunks.makeAsyncIterator(), body: body)
    }
}
