import GatewayCore
private import GatewayLibC

/// Receives the redirect of an authorization server on a loopback address (RFC 8252 §7.3), on a separate
/// thread.
///
/// It reads only the head of a request, responds with a short page, and returns the query of the first
/// request for its path that belongs to the sign-in. Any other request is ignored after an error response,
/// because any page in a browser can send one. A head larger than 16 KiB gets the response 431, and ends the
/// wait if its query belongs to the sign-in.
final class LoopbackReceiver: Sendable {
    /// The received redirect.
    enum Answer: Sendable {
        /// The query of the redirect.
        case query(String)
        /// The head of the redirect request is too large.
        case tooLarge
    }

    /// The maximum wait for the end of a request that is too large, so that its browser shows the response.
    private static let drainLimit: Duration = .seconds(2)

    private struct State {
        var answer: Answer?
        var isClosed = false
        var waiter: CheckedContinuation<Answer?, Never>?
    }

    /// The redirect URI with the listening port.
    let redirectURI: String
    private let path: String
    private let accepts: @Sendable (String) -> Bool
    private let listeners: [LoopbackSocket]
    private let worker = WorkerThread()
    private let state = Locked(State())

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - redirect: the configured redirect URI.
    ///   - accepts: whether a query belongs to the sign-in.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `redirectUnavailable`.
    init(
        _ redirect: LoopbackRedirect, accepts: @escaping @Sendable (String) -> Bool
    ) throws(NetworkError) {
        self.accepts = accepts
        listeners = try LoopbackSocket.open(redirect)
        redirectURI = redirect.uri(port: listeners[0].port)
        path = redirect.path.isEmpty ? "/" : redirect.path
    }

    /// Waits for the first request that belongs to the sign-in; `nil` if the task was cancelled or
    /// ``stop()`` was called.
    func receive() async -> Answer? {
        worker.post { [self] in
            serve()
        } orDrop: { [self] in
            finish(nil)
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Answer?? = state.withLock { state in
                    if let answer = state.answer { return answer }
                    if state.isClosed { return .some(nil) }
                    state.waiter = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            stop()
        }
    }

    /// Ends the wait.
    func stop() {
        finish(nil)
        for listener in listeners { listener.stop() }
    }

    private func finish(_ answer: Answer?) {
        let waiter = state.withLock { state in
            state.isClosed = true
            state.answer = state.answer ?? answer
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: answer)
    }

    // MARK: The thread

    private func serve() {
        var connections = LoopbackConnections()
        defer { connections.closeAll() }
        let descriptors = listeners.map(\.descriptor)
        while !state.withLock(\.isClosed) { connections.serve(descriptors, within: -1, respond) }
        let end = ContinuousClock.now + Self.drainLimit
        while connections.isDraining, ContinuousClock.now < end {
            connections.serve([], within: 100, respond)
        }
    }

    /// Responds to a request, and ends the wait if it belongs to the sign-in.
    private func respond(
        _ connection: Int32, _ request: RedirectRequest, _ progress: RedirectRequest.Progress
    ) {
        let query = request.query(for: path)
        let isExpected = query.map(accepts) ?? false
        if progress == .tooLarge {
            answer(
                connection, "431 Request Header Fields Too Large",
                "The browser sent a header of more than \(RedirectRequest.maximumBytes >> 10) KiB. Delete its cookies "
                    + "for this host, and start the sign-in again.")
            if isExpected { finish(.tooLarge) }
            return
        }
        guard let query else { return answer(connection, "404 Not Found", "Not found.") }
        guard isExpected else {
            return answer(
                connection, "400 Bad Request",
                "This response does not belong to the sign-in that waits for one.")
        }
        answer(connection, "200 OK", "You can close this page and return to the application.")
        finish(.query(query))
    }

    private func answer(_ connection: Int32, _ status: String, _ text: String) {
        let page = "<!DOCTYPE html><title>Sign-in</title><p>\(text)</p>\n"
        let answer = Array(
            """
            HTTP/1.1 \(status)\r\nContent-Type: text/html; charset=utf-8\r\nCache-Control: no-store\r\n\
            Content-Length: \(page.utf8.count)\r\nConnection: close\r\n\r\n\(page)
            """.utf8)
        _ = unsafe send(connection, answer, answer.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        _ = shutdown(connection, Int32(SHUT_WR))
    }
}
