public import GatewayCore

extension APIClient: Redacted {}
extension OperationReply: Redacted {}
extension RequestBuilder: Redacted {}
extension ServerChoice: Redacted {}

extension APIResponse: Redacted {
    /// Status, request ID and number of attempts. The body is in ``value``.
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

// Parts of a request body. The file name may come from user input.
extension MultipartFile: Redacted {}
extension MultipartWriter: Redacted {}

// Each contains the next request or parts of a response.
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
