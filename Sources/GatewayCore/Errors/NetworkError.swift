/// The error of a failed call. Engines, transports and credential sources throw only this type.
///
/// The ``code`` is stable, texts may change. Catch by code:
/// ```swift
/// do { … } catch NetworkError.noConnection { … } catch NetworkError.timeout { … }
/// ```
/// The value is one pointer. Its description never contains a header value, a body, a query or a token; only
/// ``response`` contains data of the server.
public struct NetworkError: Error, Sendable {
    private struct Values: Sendable {
        let code: Code
        let message: String
        let origin: Origin?
        let phase: Phase?
        let limit: Phase?
        let retryAfter: Duration?
        var status: Int?
        var response: FailedResponse?
        var attempts: Int
        var mayHaveBeenSent: Bool
        let underlying: (any Error)?
        var unmetDelay: Duration?
        var interrupted: InterruptedRetry?
        var connection: ConnectionInfo?
        var receivedStatus: Int?
        var span: ExchangeSpan?
    }

    private final class Storage: Sendable {
        let values: Values
        init(_ values: Values) { self.values = values }
    }

    private let storage: Storage
    private var values: Values { storage.values }

    private init(_ values: Values) { storage = Storage(values) }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: the kind of error.
    ///   - message: a sentence that describes the error and what to do, without secrets.
    ///   - origin: the origin of the request.
    ///   - phase: the phase in which it happened.
    ///   - limit: the time limit that was exceeded; see ``limit``. Default: `phase` if the code is ``timeout``.
    ///   - retryAfter: the delay that the server requested.
    ///   - status: the HTTP status that caused the error. Default: the status of `response`.
    ///   - response: the response that caused the error, if any.
    ///   - attempts: the number of attempts; see ``attempts``.
    ///   - mayHaveBeenSent: whether the server may have received the request and processed it.
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

    /// Converts any error: a `NetworkError` is unchanged, a `CancellationError` becomes ``cancelled``, any other error
    /// ``other``.
    public init(wrapping error: any Error) {
        if let error = error as? NetworkError {
            self = error
        } else if error is CancellationError {
            self = NetworkError(.cancelled, "The task was cancelled.", underlying: error)
        } else {
            self = NetworkError(.other, "The call failed: \(type(of: error)).", underlying: error)
        }
    }

    /// The kind of error.
    public var code: Code { values.code }
    /// A message for operators, without secrets.
    public var message: String { values.message }
    /// The origin of the request, if it is known.
    public var origin: Origin? { values.origin }
    /// The phase in which it happened, if it is known.
    public var phase: Phase? { values.phase }
    /// The time limit that was exceeded, if any: ``Phase/call`` for the deadline of the call, ``Phase/attempt`` for the
    /// limit of the whole attempt, otherwise the phase with the limit. ``phase`` is what the call was doing at that
    /// time.
    public var limit: Phase? { values.limit }
    /// The delay that the server requested.
    public var retryAfter: Duration? { values.retryAfter }
    /// The HTTP status that caused the error, if any; for a retry that was not sent, that of the attempt before it.
    public var status: Int? { values.status }
    /// The response that caused the error, if there was one and it was kept; for a retry that was not sent, that of the
    /// attempt before it.
    public var response: FailedResponse? { values.response }
    /// The number of attempts, including all retries, redirects and replays.
    ///
    /// An attempt is counted when the transport starts to connect for it or to send it on an existing connection. A
    /// refused connection is an attempt. A call that fails earlier counts 0: an invalid request, a full queue, an
    /// exceeded deadline. Each attempt sends at most one request.
    public var attempts: Int { values.attempts }
    /// Whether the server may have received the request and processed it. If `false`, it is safe to send the request
    /// again with any method.
    public var mayHaveBeenSent: Bool { values.mayHaveBeenSent }
    /// The cause.
    public var underlying: (any Error)? { values.underlying }

    /// A copy of the error with another number of attempts.
    public func with(attempts: Int) -> NetworkError { with(attempts: attempts, mayHaveBeenSent: false) }

    /// A copy of the error with the number of attempts of the whole call.
    ///
    /// - Parameter mayHaveBeenSent: whether the server may have processed an earlier attempt. The result is true if
    ///   this or the error's own value is.
    package func with(attempts: Int, mayHaveBeenSent: Bool) -> NetworkError {
        var values = values
        values.attempts = attempts
        values.mayHaveBeenSent = values.mayHaveBeenSent || mayHaveBeenSent
        guard attempts != self.attempts || values.mayHaveBeenSent != self.mayHaveBeenSent else { return self }
        return NetworkError(values)
    }

    /// The delay before the next attempt, if the retry policy requested one that ends after the deadline. A call with a
    /// later deadline may continue from here.
    package var unmetDelay: Duration? { values.unmetDelay }

    /// The retry that a cancelled call waited for.
    package var interrupted: InterruptedRetry? { values.interrupted }

    /// A copy of the error of a cancelled call, with the retry that it waited for.
    package func with(interrupted: InterruptedRetry) -> NetworkError {
        var values = values
        values.interrupted = interrupted
        return NetworkError(values)
    }

    /// The connection of the attempt that failed, if attempts are observed.
    package var connection: ConnectionInfo? { values.connection }

    /// The status of the response whose content failed, if attempts are observed. It is not what caused the error.
    package var receivedStatus: Int? { values.receivedStatus }

    /// A copy of the error with the connection of its attempt, and the status of the response whose content failed.
    package func with(connection: ConnectionInfo?, receivedStatus: Int?) -> NetworkError {
        guard connection != nil || receivedStatus != nil else { return self }
        var values = values
        (values.connection, values.receivedStatus) = (connection, receivedStatus)
        return NetworkError(values)
    }

    /// The span of the attempt that failed, if there is an instrument and the call has a trace.
    package var span: ExchangeSpan? { values.span }

    /// A copy of the error with the span of its attempt.
    package func with(span: ExchangeSpan) -> NetworkError {
        var values = values
        values.span = span
        return NetworkError(values)
    }

    /// A copy of the error with the response of an earlier attempt.
    package func with(response: FailedResponse) -> NetworkError {
        var values = values
        (values.status, values.response) = (response.status, response)
        return NetworkError(values)
    }

    /// A copy of the error with a delay that ends after the deadline.
    package func with(unmetDelay: Duration) -> NetworkError {
        var values = values
        values.unmetDelay = unmetDelay
        return NetworkError(values)
    }
}

extension NetworkError: Redacted {
    /// `code at origin (phase) after n attempts: message`. Unknown parts are omitted, and so is the origin if the
    /// message contains it. If a retry was not made because of the deadline, this is appended.
    public var description: String {
        var text = code.name
        if let origin, !message.contains(origin.hostAndPort) { text += " at \(origin)" }
        if let phase { text += " (\(phase.rawValue))" }
        if attempts > 0 { text += " after \(attempts) attempt\(attempts == 1 ? "" : "s")" }
        text += ": " + message
        if unmetDelay == .zero {
            text += " Not retried: the call's deadline passed before the next attempt."
        } else if let unmetDelay {
            text += " Not retried: the next attempt was due in \(unmetDelay.text), after the call's deadline."
        }
        return text
    }
}
