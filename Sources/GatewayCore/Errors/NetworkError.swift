/// Why a call failed: the one error that engines, transports and credential sources throw.
///
/// The ``code`` is the contract and the texts are not. Catch by code:
/// ```swift
/// do { … } catch NetworkError.noConnection { … } catch NetworkError.timeout { … }
/// ```
/// The value is one pointer wide. It never prints a header value, a body, a query or a token; only ``response`` holds
/// what the server wrote.
public struct NetworkError: Error, Sendable {
    private struct Values: Sendable {
        let code: Code
        let message: String
        let origin: Origin?
        let phase: Phase?
        let limit: Phase?
        let retryAfter: Duration?
        let status: Int?
        let response: FailedResponse?
        var attempts: Int
        var mayHaveBeenSent: Bool
        let underlying: (any Error)?
        var unmetDelay: Duration?
        var connection: ConnectionInfo?
    }

    private final class Storage: Sendable {
        let values: Values
        init(_ values: Values) { self.values = values }
    }

    private let storage: Storage
    private var values: Values { storage.values }

    private init(_ values: Values) { storage = Storage(values) }

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: what happened.
    ///   - message: a sentence that says what to do about it, free of secrets.
    ///   - origin: the origin that was called.
    ///   - phase: where in the exchange it happened.
    ///   - limit: the time limit that passed; see ``limit``. By default that of the phase if the code is ``timeout``.
    ///   - retryAfter: how long the server asked to wait.
    ///   - status: the HTTP status that led here. By default it is the response's.
    ///   - response: the response that led here, if there was one.
    ///   - attempts: how many attempts were made; see ``attempts``.
    ///   - mayHaveBeenSent: whether the server may have received the request and acted on it.
    ///   - underlying: the cause.
    public init(
        _ code: Code, _ message: String, origin: Origin? = nil, phase: Phase? = nil,
        limit: Phase? = nil, retryAfter: Duration? = nil, status: Int? = nil,
        response: FailedResponse? = nil, attempts: Int = 0, mayHaveBeenSent: Bool = false,
        underlying: (any Error)? = nil
    ) {
        self.init(
            Values(
                code: code, message: message, origin: origin, phase: phase,
                limit: limit ?? (code == .timeout ? phase : nil), retryAfter: retryAfter,
                status: status ?? response?.status, response: response, attempts: attempts,
                mayHaveBeenSent: mayHaveBeenSent, underlying: underlying))
    }

    /// Keeps a `NetworkError` as it is, makes a cancellation ``cancelled``, and anything else ``other``.
    public init(wrapping error: any Error) {
        if let error = error as? NetworkError {
            self = error
        } else if error is CancellationError {
            self = NetworkError(.cancelled, "The task was cancelled.", underlying: error)
        } else {
            self = NetworkError(.other, "The call failed: \(type(of: error)).", underlying: error)
        }
    }

    /// What happened.
    public var code: Code { values.code }
    /// A sentence for the operators of the program, free of secrets.
    public var message: String { values.message }
    /// The origin that was called, or that could not be.
    public var origin: Origin? { values.origin }
    /// Where in the exchange it happened, if that is known.
    public var phase: Phase? { values.phase }
    /// The time limit that passed, if one did: ``Phase/call`` for the call's deadline, ``Phase/attempt`` for the limit of the
    /// whole attempt, otherwise the phase that has the limit. ``phase`` tells what the call was doing then.
    public var limit: Phase? { values.limit }
    /// How long the server asked to wait.
    public var retryAfter: Duration? { values.retryAfter }
    /// The HTTP status that led here, if one did.
    public var status: Int? { values.status }
    /// The response that led here, if one did and it was kept.
    public var response: FailedResponse? { values.response }
    /// How many attempts were made, over all retries, redirects and replays.
    ///
    /// An attempt counts from the moment the transport begins to connect for it, or to send it on a kept connection. A
    /// refused connection is an attempt. A call that fails before that counts 0: an invalid request, a full queue, a
    /// deadline that has already passed. At most one request per attempt reaches the wire.
    public var attempts: Int { values.attempts }
    /// Whether the server may have received the request and acted on it. Where this is `false`, it is safe to send the
    /// request again with any method.
    public var mayHaveBeenSent: Bool { values.mayHaveBeenSent }
    /// The cause.
    public var underlying: (any Error)? { values.underlying }

    /// The same error with another number of attempts.
    public func with(attempts: Int) -> NetworkError { with(attempts: attempts, mayHaveBeenSent: false) }

    /// The same error with the number of attempts of the whole call.
    ///
    /// - Parameter mayHaveBeenSent: whether the server may have acted on an earlier attempt. A later attempt that
    ///   certainly did not reach it does not undo that.
    package func with(attempts: Int, mayHaveBeenSent: Bool) -> NetworkError {
        var values = values
        values.attempts = attempts
        values.mayHaveBeenSent = values.mayHaveBeenSent || mayHaveBeenSent
        guard attempts != self.attempts || values.mayHaveBeenSent != self.mayHaveBeenSent else { return self }
        return NetworkError(values)
    }

    /// The wait before the next attempt, if the retry policy asked for one and the deadline left no time for it. A
    /// call with more time may continue from here.
    package var unmetDelay: Duration? { values.unmetDelay }

    /// The connection of the attempt that failed, if attempts are observed.
    package var connection: ConnectionInfo? { values.connection }

    /// The same error with the connection of its attempt.
    package func with(connection: ConnectionInfo) -> NetworkError {
        var values = values
        values.connection = connection
        return NetworkError(values)
    }

    /// The same error with a wait that the deadline left no time for.
    package func with(unmetDelay: Duration) -> NetworkError {
        var values = values
        values.unmetDelay = unmetDelay
        return NetworkError(values)
    }
}

extension NetworkError: Redacted {
    /// `code at origin (phase) after n attempts: message`. Leaves out what is not known, and the origin where the message
    /// names it; ends with the retry that the deadline left no time for, if there was one.
    public var description: String {
        var text = code.name
        if let origin, !message.contains(origin.hostAndPort) { text += " at \(origin)" }
        if let phase { text += " (\(phase.rawValue))" }
        if attempts > 0 { text += " after \(attempts) attempt\(attempts == 1 ? "" : "s")" }
        text += ": " + message
        if let unmetDelay {
            text += " Not retried: the next attempt was due in \(unmetDelay.text), after the call's deadline."
        }
        return text
    }
}
