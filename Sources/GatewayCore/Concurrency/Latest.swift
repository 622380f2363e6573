/// The latest of several answers, in the order of their questions: a late answer never overwrites a newer one.
///
/// ```swift
/// let prices = Latest<[Price]>([])
/// // Two reloads overlap, and the first one is slower. Its answer is dropped.
/// await prices.update { try await api.prices.list() }
/// ```
public final class Latest<Value: Sendable>: Sendable {
    /// The place of a question in the order of all.
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
    /// - Parameter value: the value until the first answer.
    public init(_ value: Value) { state = Locked(State(value: value)) }

    /// The value of the newest question that has an answer.
    public var value: Value { state.withLock { $0.value } }

    /// Begins a question. Call it before the request is sent.
    public func begin() -> Ticket {
        state.withLock { state in
            state.issued &+= 1
            return Ticket(number: state.issued)
        }
    }

    /// Stores the answer of a question, unless that of a newer question is there.
    ///
    /// - Returns: whether the answer was stored.
    @discardableResult
    public func store(_ value: Value, for ticket: Ticket) -> Bool {
        state.withLock { state in
            guard ticket.number > state.accepted else { return false }
            state.accepted = ticket.number
            state.value = value
            return true
        }
    }

    /// Begins a question, waits for its answer, and stores it, unless that of a newer question is there.
    ///
    /// - Returns: whether the answer was stored.
    /// - Throws: what the operation throws; the value is then not changed.
    @discardableResult
    public func update<Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Bool {
        let ticket = begin()
        return store(try await operation(), for: ticket)
    }
}

extension Latest: Redacted {}
