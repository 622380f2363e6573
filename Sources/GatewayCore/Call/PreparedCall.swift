/// An operation's call whose request is created but not sent, for example to be stored in an offline queue.
///
/// ```swift
/// let call = try await PreparedCall { try await api.orders.placeOrder(order) }
/// ```
/// ``request`` has exactly the bytes that the call would send, and no credentials: engines add these when they send it,
/// unless the call is to have none (``isAnonymous``).
public struct PreparedCall<Output: Sendable>: Sendable {
    /// The request, without credentials.
    public let request: HTTPRequest
    /// The operation; `nil` if it has no name.
    public let operation: Operation?
    /// The priority of the call.
    public let priority: CallPriority
    /// Whether the operation requires no credential (`security: []`), or only a client certificate. Its request must be sent
    /// without one: ``RequestContext/isAnonymous``.
    public let isAnonymous: Bool
    private let call: @Sendable () async throws -> Output

    /// Prepares a call. Nothing is sent.
    ///
    /// - Parameter call: calls one operation of a generated client. It runs once here and once for each ``decode(_:)``,
    ///   and should have no other effect.
    /// - Throws: what the operation throws before it would send the request, such as for a parameter that is not valid;
    ///   a ``NetworkError`` with the code ``NetworkError/invalidRequest`` if the closure calls no operation or several.
    public init(_ call: @escaping @Sendable () async throws -> Output) async throws {
        let interception = CallInterception(outcome: nil)
        var failure: (any Error)?
        do { _ = try await CallInterception.$current.withValue(interception, operation: call) } catch {
            failure = error
        }
        let calls = interception.calls.withLock { $0 }
        if calls.isEmpty, let failure { throw failure }
        guard calls.count == 1, let first = calls.first else {
            throw NetworkError(
                .invalidRequest,
                "A prepared call must call one operation of a generated client, not \(calls.count).")
        }
        request = first.request
        operation = first.operation
        priority = first.priority
        isAnonymous = first.isAnonymous
        self.call = call
    }

    /// Decodes the outcome of the request as the call would have done.
    ///
    /// - Throws: the error of the operation, for a response that the document names as a failure and for `outcome`'s
    ///   error.
    public func decode(_ outcome: Result<HTTPResponse, NetworkError>) async throws -> Output {
        try await CallInterception.$current.withValue(CallInterception(outcome: outcome), operation: call)
    }
}

/// What takes the place of sending while a call is prepared or its outcome is decoded.
package final class CallInterception: Sendable {
    @TaskLocal package static var current: CallInterception?

    struct Call: Sendable {
        let request: HTTPRequest
        let operation: Operation?
        let priority: CallPriority
        let isAnonymous: Bool
    }

    let calls = Locked<[Call]>([])
    /// Whether the outcome of a request that was sent is decoded. Otherwise the request is prepared.
    package var isDecoding: Bool { outcome != nil }
    private let outcome: Result<HTTPResponse, NetworkError>?

    init(outcome: Result<HTTPResponse, NetworkError>?) { self.outcome = outcome }

    /// Keeps a request in place of sending it.
    ///
    /// - Returns: the outcome that is decoded.
    package func send(
        _ request: HTTPRequest, _ context: borrowing RequestContext
    ) throws(NetworkError) -> HTTPResponse {
        let call = Call(
            request: request, operation: context.operation, priority: context.priority,
            isAnonymous: context.isAnonymous)
        calls.withLock { $0.append(call) }
        guard let outcome else {
            throw NetworkError(.invalidRequest, "The call is prepared and not sent.")
        }
        return try outcome.get()
    }
}

extension PreparedCall: Redacted {
    /// The operation, the method and the URL without its query.
    public var description: String { "prepared call of \(operation?.id ?? "an operation"): \(request)" }
}
