/// Attempts that a call goes on without.
extension RequestContext {
    /// A copy for one of several attempts at the same time, so that ``abandon()`` is about it alone.
    ///
    /// - Parameter isAbandonable: whether ``abandon()`` also lets the caller go who waits for the exchange.
    package func separated(isAbandonable: Bool = false) -> RequestContext {
        var copy = self
        copy.values = values.separated(isAbandonable: isAbandonable)
        return copy
    }

    /// Notes that the call goes on without the attempt that has this context, because another attempt has brought the
    /// response. Its exchange may end by itself, so that its connection is kept: the deadline of the call limits it no
    /// more, but its own limits do, and the transport need not read a long body. A caller who waits for the exchange of an
    /// abandonable attempt is let go with an error with the code ``NetworkError/Code/abandoned``.
    package func abandon() { values.abandon() }

    /// Whether the call goes on without this attempt.
    package var isAbandoned: Bool { values.isAbandoned }

    // MARK: Abandonable attempts

    /// Whether the caller may be let go while the exchange is in progress.
    package var isAbandonable: Bool { values.isAbandonable }

    /// The caller waits for an exchange. Called by the transport of an abandonable attempt, once the exchange can be told.
    package func exchangeBegan(_ exchange: any AbandonableExchange) {
        values.withExchange { $0.begin(exchange) }
    }

    /// The caller does not wait for an exchange any more, whether it was abandoned or not.
    package func exchangeEnded(_ exchange: any AbandonableExchange) {
        values.withExchange { $0.end(exchange) }
    }

    /// Whether the caller waits for an exchange.
    package var isExchanging: Bool { values.withExchange { $0.isInProgress } }

    /// Adds what is to be done with the outcome of an abandoned exchange. Called by a layer that gets the error with the code
    /// ``NetworkError/Code/abandoned``, before it throws it on.
    package func whenExchangeEnds(_ step: @escaping Abandonment.Step) {
        values.withExchange { $0.abandonment }?.add(step)
    }

    /// The abandonment of the exchange; `nil` if it was not abandoned.
    package var abandonment: Abandonment? { values.withExchange { $0.abandonment } }
}
