/// Why a call failed: the one error that engines, transports and credential sources throw.
///
/// The ``code`` is the contract and the texts are not. Catch by code:
/// ```swift
/// do { … } catch NetworkError.noConnection { … } catch NetworkError.timeout { … }
/// ```
/// The value is one pointer wide. It never holds a header value, a body, a query or a token.
public struct NetworkError: Error, Sendable {
    private final class Storage: Sendable {
        let code: Code
        let message: String
        let origin: Origin?
        let phase: Phase?
        let retryAfter: Duration?
        let status: Int?
        let attempts: Int
        let mayHaveBeenSent: Bool
        let underlying: (any Error)?
        let unmetDelay: Duration?

        init(
            code: Code, message: String, origin: Origin?, phase: Phase?, retryAfter: Duration?, status: Int?,
            attempts: Int, mayHaveBeenSent: Bool, underlying: (any Error)?, unmetDelay: Duration? = nil
        ) {
            self.code = code
            self.message = message
            self.origin = origin
            self.phase = phase
            self.retryAfter = retryAfter
            self.status = status
            self.attempts = attempts
            self.mayHaveBeenSent = mayHaveBeenSent
            self.underlying = underlying
            self.unmetDelay = unmetDelay
        }

        init(_ other: Storage, attempts: Int, unmetDelay: Duration?) {
            code = other.code
            message = other.message
            origin = other.origin
            phase = other.phase
            retryAfter = other.retryAfter
            status = other.status
            self.attempts = attempts
            mayHaveBeenSent = other.mayHaveBeenSent
            underlying = other.underlying
            self.unmetDelay = unmetDelay
        }
    }

    private let storage: Storage

    private init(_ storage: Storage) { self.storage = storage }

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: what happened.
    ///   - message: a sentence that says what to do about it, free of secrets.
    ///   - origin: whom it concerns.
    ///   - phase: where in the exchange it happened.
    ///   - retryAfter: how long the other side asked us to wait.
    ///   - status: the HTTP status that led here, if one did.
    ///   - attempts: how many requests went on the wire.
    ///   - mayHaveBeenSent: whether the server may have seen the request and acted on it.
    ///   - underlying: the cause.
    public init(
        _ code: Code, _ message: String, origin: Origin? = nil, phase: Phase? = nil,
        retryAfter: Duration? = nil, status: Int? = nil, attempts: Int = 0, mayHaveBeenSent: Bool = false,
        underlying: (any Error)? = nil
    ) {
        storage = Storage(
            code: code, message: message, origin: origin, phase: phase, retryAfter: retryAfter,
            status: status, attempts: attempts, mayHaveBeenSent: mayHaveBeenSent, underlying: underlying)
    }

    /// Takes a `NetworkError` as it is, a cancellation as ``cancelled``, anything else as ``other``.
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
    public var code: Code { storage.code }
    /// A sentence for the engineer.
    public var message: String { storage.message }
    /// Whom it concerns.
    public var origin: Origin? { storage.origin }
    /// Where in the exchange it happened, where that is known.
    public var phase: Phase? { storage.phase }
    /// How long the other side asked us to wait.
    public var retryAfter: Duration? { storage.retryAfter }
    /// The HTTP status that led here, if one did.
    public var status: Int? { storage.status }
    /// How many requests went on the wire.
    public var attempts: Int { storage.attempts }
    /// Whether the server may have seen the request and acted on it. Where this is `false`, sending again is
    /// safe with any method.
    public var mayHaveBeenSent: Bool { storage.mayHaveBeenSent }
    /// The cause.
    public var underlying: (any Error)? { storage.underlying }

    /// The same error with the number of requests that went on the wire.
    public func with(attempts: Int) -> NetworkError {
        guard attempts != storage.attempts else { return self }
        return NetworkError(Storage(storage, attempts: attempts, unmetDelay: storage.unmetDelay))
    }

    /// The wait before the next attempt, where the retry policy asked for one and the deadline left no time for it. A
    /// call with more time may go on from here.
    package var unmetDelay: Duration? { storage.unmetDelay }

    /// The same error with a wait that the deadline left no time for.
    package func with(unmetDelay: Duration) -> NetworkError {
        NetworkError(Storage(storage, attempts: attempts, unmetDelay: unmetDelay))
    }
}

extension NetworkError: Redacted {
    /// `code at origin (phase): message`.
    public var description: String {
        var text = code.name
        if let origin { text += " at \(origin)" }
        if let phase { text += " (\(phase.rawValue))" }
        return text + ": " + message
    }
}
