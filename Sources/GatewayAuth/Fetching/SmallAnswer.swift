import GatewayCore

/// An answer that was read whole: of a token endpoint, of an issuer's metadata or its keys.
struct SmallAnswer {
    let status: Int
    let fields: HTTPFields
    let body: [UInt8]
    /// Who answered.
    let origin: Origin
    /// When to ask again (RFC 9110 §10.2.3), where that was said.
    let retryAfter: Duration?
}

extension Transport {
    /// Makes one exchange and reads its answer whole.
    ///
    /// - Parameters:
    ///   - limit: how many bytes the body may have.
    ///   - deadline: when the answer must be there.
    ///   - spends: whether the answer is waited for until the deadline, though the transport has shorter limits.
    func smallAnswer(
        to request: HTTPRequest, _ operation: Operation, upToBytes limit: Int, by deadline: Deadline,
        spends: Bool = false, clock: any GatewayClock
    ) async throws(NetworkError) -> SmallAnswer {
        var context = RequestContext(operation: operation, clock: clock).limited(to: deadline)
        context.response = .collect(upToBytes: limit)
        if spends { context.isLimitedByDeadlineAlone = true }
        let response = try await send(request, context: context)
        let body = try await response.body.collect(upToBytes: limit)
        let retryAfter = response.fields[.retryAfter].flatMap {
            RetryAfter.parse($0, unixTime: clock.unixTime)
        }
        return SmallAnswer(
            status: response.status, fields: response.fields, body: body, origin: response.exchange.origin,
            retryAfter: retryAfter)
    }
}
