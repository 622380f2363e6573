import GatewayCore

/// A completely collected response of a token endpoint, or of an issuer's metadata or keys.
struct SmallAnswer {
    let status: Int
    let fields: HTTPFields
    let body: [UInt8]
    /// The origin that responded.
    let origin: Origin
    /// The delay in `Retry-After` (RFC 9110 §10.2.3), if any.
    let retryAfter: Duration?
}

extension Transport {
    /// Makes one exchange and collects the response.
    ///
    /// - Parameters:
    ///   - limit: the maximum size of the body, in bytes.
    ///   - deadline: when to stop waiting for the response.
    ///   - spends: whether the request uses up a credential. Then only the deadline limits the wait, not the shorter
    ///     timeouts of the transport.
    func smallAnswer(
        to request: HTTPRequest, _ operation: Operation, upToBytes limit: Int, by deadline: Deadline,
        spends: Bool = false, clock: any GatewayClock
    ) async throws(NetworkError) -> SmallAnswer {
        var context = RequestContext(operation: operation, clock: clock).limited(to: deadline)
        context.response = .collect(upToBytes: limit)
        if spends { context.isLimitedByDeadlineAlone = true }
        let response = try await send(request, context: context)
        let body = try await response.body.collect(upToBytes: limit)
        return SmallAnswer(
            status: response.status, fields: response.fields, body: body, origin: response.exchange.origin,
            retryAfter: response.fields.retryAfter(at: clock.unixTime))
    }
}
