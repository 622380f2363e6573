import GatewayCore

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// Waits on a loopback address for the browser that returns from the authorization server (RFC 8252 §7.3), on a thread of
/// its own.
///
/// It reads the head of a request only, answers with a short page, and returns the query of the first request for its
/// path that belongs to the sign-in. Any other request is answered with an error and ignored: every page in a browser can
/// send one.
final class LoopbackReceiver: Sendable {
    /// The maximum size of a head.
    private static let maximumBytes = 16 << 10
    /// How long one connection may block the others, in milliseconds.
    private static let connectionLimit: Int32 = 2000

    private struct State {
        var query: String?
        var isClosed = false
        var waiter: CheckedContinuation<String?, Never>?
    }

    /// The redirect URI to send, with the port that is listened on.
    let redirectURI: String
    private let path: String
    private let accepts: @Sendable (String) -> Bool
    private let listeners: [LoopbackSocket]
    private let worker = WorkerThread()
    private let state = Locked(State())

    /// Listens.
    ///
    /// - Parameters:
    ///   - redirect: where the browser returns to.
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

    /// The query of the first request for the path; `nil` when the task was cancelled or ``stop()`` was called.
    func receive() async -> String? {
        worker.post { [self] in
            serve()
        } orDrop: { [self] in
            finish(nil)
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: String?? = state.withLock { state in
                    if let query = state.query { return query }
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

    private func finish(_ query: String?) {
        let waiter = state.withLock { state in
            state.isClosed = true
            state.query = state.query ?? query
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: query)
    }

    // MARK: The thread

    private func serve() {
        while !state.withLock(\.isClosed) {
            for listener in ready(listeners) where !state.withLock(\.isClosed) {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { continue }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                if let query = talk(connection) { finish(query) }
                close(connection)
            }
        }
    }

    /// Waits for connections.
    ///
    /// - Returns: the sockets that have one, or that were stopped.
    private func ready(_ listeners: [LoopbackSocket]) -> [Int32] {
        var entries = listeners.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        guard unsafe poll(&entries, nfds_t(entries.count), -1) > 0 else { return [] }
        return entries.filter { $0.revents != 0 }.map(\.fd)
    }

    /// Whether something can be read before the time is up.
    private func wait(for descriptor: Int32, limit: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, limit) > 0
    }

    /// Reads a head and answers.
    private func talk(_ connection: Int32) -> String? {
        let end = ContinuousClock.now + .milliseconds(Int64(Self.connectionLimit))
        var head: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while head.count < Self.maximumBytes, !Self.isWhole(head), ContinuousClock.now < end {
            guard wait(for: connection, limit: Self.connectionLimit) else { return nil }
            let count = unsafe recv(connection, &part, part.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return nil }
            head += part[..<count]
        }
        guard Self.isWhole(head) else { return nil }
        let line = String(decoding: head.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
        let words = line.split(separator: " ")
        guard words.count == 3, words[0] == "GET", let query = Self.query(of: words[1], path: path) else {
            answer(connection, "404 Not Found", "Not found.")
            return nil
        }
        guard accepts(query) else {
            answer(
                connection, "400 Bad Request",
                "This response does not belong to the sign-in that waits for one.")
            return nil
        }
        answer(connection, "200 OK", "You can close this page and return to the application.")
        return query
    }

    private static func isWhole(_ head: [UInt8]) -> Bool { head.contains([0x0D, 0x0A, 0x0D, 0x0A]) }

    private static func query(of target: Substring, path: String) -> String? {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == path else { return nil }
        return String(parts[1])
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
