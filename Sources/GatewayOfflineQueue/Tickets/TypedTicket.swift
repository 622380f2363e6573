public import GatewayCore

/// The ticket of a stored call of an operation, with its decoded outcome.
public struct TypedTicket<Output: Sendable>: Sendable {
    /// The ticket of the entry.
    public let ticket: QueueTicket
    private let call: PreparedCall<Output>

    init(_ ticket: QueueTicket, _ call: PreparedCall<Output>) {
        self.ticket = ticket
        self.call = call
    }

    /// The entry.
    public var id: QueueEntry.ID { ticket.id }

    /// Waits until the entry has ended, and decodes its response.
    ///
    /// - Throws: ``QueueError`` as ``QueueTicket/outcome()``.
    public func outcome() async throws(QueueError) -> TypedOutcome<Output> {
        let outcome = try await ticket.outcome()
        let result: Result<HTTPResponse, NetworkError>
        if let response = outcome.response {
            result = .success(response)
        } else if let error = outcome.error {
            result = .failure(error)
        } else {
            return .withoutResponse(outcome)
        }
        do { return .decoded(try await call.decode(result)) } catch { return .failed(error) }
    }
}

/// The outcome of a call that was sent by a queue.
@nonexhaustive
public enum TypedOutcome<Output: Sendable>: Sendable {
    /// The decoded output of the operation.
    case decoded(Output)
    /// The error that the operation throws.
    case failed(any Error)
    /// The entry has ended without a response to decode: it was not sent, or its response was received by
    /// another process or before a restart. Responses are not stored.
    case withoutResponse(QueueOutcome)
}

extension OfflineQueueEngine {
    /// Stores a call of an operation: exactly the bytes that the call would send. It is durable when this returns.
    ///
    /// ```swift
    /// let call = try await PreparedCall { try await api.orders.placeOrder(order) }
    /// let ticket = try await queue.enqueue(call) { $0.orderingKey = "orders" }
    /// if case .decoded(let receipt) = try await ticket.outcome() { … }
    /// ```
    /// The idempotency key of the call is used for the entry. The credentials are those of the queue's
    /// configuration or engine, not those of the generated client. A call of an operation without security is sent without
    /// one.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - isolation: the actor of the caller, on which `change` runs.
    ///   - change: changes the settings of the entry. Its request cannot be changed.
    /// - Throws: ``QueueError`` as ``enqueue(_:)``; with the property `body` for a body that is a file or a stream.
    public func enqueue<Output>(
        _ call: PreparedCall<Output>, isolation: isolated (any Actor)? = #isolation,
        change: (inout QueueRequest) -> Void = { _ in }
    ) async throws(QueueError) -> TypedTicket<Output> {
        var request = QueueRequest(
            call.request, priority: call.priority, isAnonymous: call.isAnonymous, operation: call.operation)
        change(&request)
        request.request = call.request
        if call.isAnonymous { request.isAnonymous = true }
        return TypedTicket(try await enqueue(request), call)
    }
}
