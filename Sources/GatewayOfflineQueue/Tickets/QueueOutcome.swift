public import GatewayCore

/// How an entry of the queue ended.
public struct QueueOutcome: Sendable {
    /// The entry.
    public let id: QueueEntry.ID
    /// ``QueueEntry/State-swift.struct/done``, another final state, or a state that requires manual action:
    /// ``QueueEntry/State-swift.struct/poison`` or ``QueueEntry/State-swift.struct/ambiguous``.
    public let state: QueueEntry.State
    /// The response of the last attempt; `nil` if there was none, or if it was received by another process
    /// or before a restart, because responses are not stored.
    public let response: HTTPResponse?
    /// The error of the last attempt, under the same conditions. A completed entry has one if the content of
    /// its response could not be read: the server has processed the request, and the error has the status.
    public let error: NetworkError?
    /// Why it is not done, or why there is no complete response: a status or the code of an error.
    public let reason: String?

    init(
        id: QueueEntry.ID, state: QueueEntry.State, response: HTTPResponse? = nil, error: NetworkError? = nil,
        reason: String? = nil
    ) {
        self.id = id
        self.state = state
        self.response = response
        self.error = error
        self.reason = reason
    }

    init(_ entry: QueueEntry) {
        self.init(id: entry.id, state: entry.state, reason: entry.reason)
    }

    /// Whether the server has accepted the request.
    public var isDone: Bool { state == .done }
}

extension QueueOutcome: Redacted {
    /// Entry, state and reason.
    public var description: String { "entry \(id): \(state)" + (reason.map { " (\($0))" } ?? "") }
}

extension QueueEntry.State {
    /// Whether the state is reported as an outcome, because it does not change without a manual action.
    var isSettled: Bool { isFinal || self == .poison || self == .ambiguous }
}
