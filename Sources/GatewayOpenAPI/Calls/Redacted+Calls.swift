public import GatewayCore

extension APIClient: Redacted {}
extension OperationReply: Redacted {}
extension RequestBuilder: Redacted {}
extension ServerChoice: Redacted {}

extension APIResponse: Redacted {
    /// Status, request ID and attempts. Print ``value`` to see what the body says.
    public var description: String {
        "HTTP \(status)" + (requestID.map { " request \($0)" } ?? "")
            + " after \(attempts) attempt\(attempts == 1 ? "" : "s")"
    }
}

extension DocumentedResponse: Redacted {
    /// The status and the size of the body.
    public var description: String { "HTTP \(status) with \(bytes().count) bytes" }
}

extension ReceivedWebhook: Redacted {}
extension WebhookVerifier: Redacted {}

// Parts of a request's body. A name is not always chosen by the program.
extension MultipartFile: Redacted {}
extension MultipartWriter: Redacted {}

// Each holds the request that is sent next, or what has come of a response.
extension EventMessages: Redacted {}
extension EventMessages.Iterator: Redacted {}
extension EventStream: Redacted {}
extension EventStream.Iterator: Redacted {}
extension PagedItems: Redacted {}
extension PagedItems.Iterator: Redacted {}
extension PagedItems.Pages: Redacted {}
extension PagedItems.Pages.Element: Redacted {}
extension PagedItems.Pages.Iterator: Redacted {}

extension ServerSentEvent: Redacted {
    /// The size of the data.
    public var description: String { "event with \(data.utf8.count) bytes" }
}
