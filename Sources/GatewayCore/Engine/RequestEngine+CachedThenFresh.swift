extension RequestEngine {
    /// Makes a call that immediately yields the stored response, if there is one, and then the response that the server
    /// has validated or sent.
    ///
    /// ```swift
    /// for try await response in engine.cachedThenFresh(request) { show(response) }
    /// ```
    /// The first one may be stale; see ``Exchange/source``. The sequence ends after the response from the server, or
    /// throws its error. Without a stored response or a cache it yields one response. The calls begin with the
    /// iteration and are cancelled when the iteration is abandoned.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - options: the options of this call, over those of its operation. Their cache mode is not used.
    ///   - operation: the operation, for options, events and metrics.
    public func cachedThenFresh(
        _ request: HTTPRequest, options: CallOptions = CallOptions(), operation: Operation? = nil
    ) -> CachedThenFresh {
        CachedThenFresh { (mode: CacheMode) async throws(NetworkError) -> HTTPResponse in
            var options = options
            options.cache = mode
            return try await send(request, options: options, operation: operation)
        }
    }
}

/// A stored response, if there is one, and then the response of the server. See
/// ``RequestEngine/cachedThenFresh(_:options:operation:)``.
public struct CachedThenFresh: AsyncSequence, Sendable {
    /// A response.
    public typealias Element = HTTPResponse
    /// The error of the call to the server.
    public typealias Failure = NetworkError

    let send: @Sendable (CacheMode) async throws(NetworkError) -> HTTPResponse

    /// Makes the calls.
    public struct Iterator: AsyncIteratorProtocol {
        let send: @Sendable (CacheMode) async throws(NetworkError) -> HTTPResponse
        private var modes: [CacheMode] = [.noCache, .onlyIfCached]

        init(send: @escaping @Sendable (CacheMode) async throws(NetworkError) -> HTTPResponse) {
            self.send = send
        }

        /// The next response; `nil` after the one of the server.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(NetworkError) -> HTTPResponse? {
            while let mode = modes.popLast() {
                do throws(NetworkError) { return try await send(mode) } catch {
                    guard mode == .onlyIfCached, error.code == .notCached else { throw error }
                }
            }
            return nil
        }

        /// The next response; `nil` after the one of the server.
        public mutating func next() async throws(NetworkError) -> HTTPResponse? {
            try await next(isolation: nil)
        }
    }

    /// Begins.
    public func makeAsyncIterator() -> Iterator { Iterator(send: send) }
}

extension CachedThenFresh: Redacted {}
extension CachedThenFresh.Iterator: Redacted {}
