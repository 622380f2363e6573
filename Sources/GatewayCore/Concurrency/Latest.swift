/// The latest of several results, in the order of their requests: a late result never replaces a newer one.
///
/// ```swift
/// let prices = Latest<[Price]>([])
/// // Two reloads overlap, and the first one is slower. Its answer is dropped.
/// await prices.update { try await api.prices.list() }
/// ```
public final class Latest<Value: Sendable>: Sendable {
    /// The position of a request in the order of all requests.
    public struct Ticket: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct State {
        var value: Value
        var issued: UInt64 = 0
        var accepted: UInt64 = 0
    }

    private let state: Locked<State>

    /// Creates a holder.
    ///
    /// - Parameter value: the value before the first result.
    public init(_ value: Value) { state = Locked(State(value: value)) }

    /// The result of the newest request that has one.
    public var value: Value { state.withLock { $0.value } }

    /// Starts a request and returns its position. Call it before the request is sent.
    public func begin() -> Ticket {
        state.withLock { state in
            state.issued &+= 1
            return Ticket(number: state.issued)
        }
    }

    /// Stores the result of a request, unless a newer request already has one.
    ///
    /// - Returns: whether the result was stored.
    @discardableResult
    public func store(_ value: Value, for ticket: Ticket) -> Bool {
        state.withLock { state in
            guard ticket.number > state.accepted else { return false }
            state.accepted = ticket.number
            state.value = value
            return true
        }
    }

    /// Starts a request, waits for its result, and stores it, unless a newer request already has one.
    ///
    /// - Returns: whether the result was stored.
    /// - Throws: the error of the operation. The value is then unchanged.
    @discardableResult
    public func update<Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Bool {
        let ticket = begin()
        return store(try await operation(), for: ticket)
    }
}

extension Latest: Redacted {}
