import GatewayCore

extension QueueSender {
    /// The maximum number of redirects of an attempt.
    static let mostHops = 5

    /// The target of a 307 or 308 that stays within the origin of its request (RFC 9110 §15.4.8, §15.4.9); `nil` for every
    /// other response.
    ///
    /// Why no others: another origin does not know the idempotency key, and the response to a `GET` that
    /// replaces the request says nothing about the request.
    static func target(of response: HTTPResponse, from request: HTTPRequest) -> String? {
        guard response.status == 307 || response.status == 308,
            case .line(let field) = response.fields.occurrence(of: .location)
        else { return nil }
        // The engine may have sent the request over TLS (RFC 6797 §8.3).
        let secured = request.origin.secured
        let origin = response.exchange.origin == secured ? secured : request.origin
        let url = try? ParsedURL(origin: origin, target: request.target).resolving(field.reference)
        return url?.origin == origin ? url?.target : nil
    }
}
