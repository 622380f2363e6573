public import GatewayCore

/// The middleware of a generated client, in the order in which requests pass it.
public struct MiddlewareChain: Sendable, ExpressibleByArrayLiteral {
    let members: [any CallMiddleware]

    /// No middleware. It costs nothing.
    public init() { members = [] }

    /// Middleware in the order in which requests pass it.
    public init(_ members: [any CallMiddleware]) { self.members = members }

    /// Middleware in the order in which requests pass it.
    public init(arrayLiteral members: any CallMiddleware...) { self.members = members }

    /// Passes a request through the middleware until one answers it.
    ///
    /// - Returns: the answer, if there is one, and the number of members before the one that answered.
    func willSend(
        _ request: inout HTTPRequest, of call: MiddlewareCall
    ) async throws(NetworkError) -> (answer: HTTPResponse?, passed: Int) {
        for (position, member) in members.enumerated() {
            do {
                if let answer = try await member.willSend(&request, of: call) { return (answer, position) }
            } catch let error as NetworkError {
                throw error
            } catch is CancellationError {
                throw NetworkError(
                    .cancelled, "The task was cancelled in a middleware.", origin: request.origin)
            } catch {
                throw NetworkError(
                    .other, "A middleware failed before the request was sent.", origin: request.origin,
                    underlying: error)
            }
        }
        return (nil, members.count)
    }

    /// Shows a response to the first members, the last of them first.
    func didReceive(
        _ response: HTTPResponse, to request: HTTPRequest, of call: MiddlewareCall, passed: Int
    ) async {
        for member in members.prefix(passed).reversed() {
            await member.didReceive(response, to: request, of: call)
        }
    }

    /// Shows an error to all members, the last one first.
    func didFail(_ error: APIError<some DocumentedFailure>, of call: MiddlewareCall) {
        for member in members.reversed() { member.didFail(error, of: call) }
    }
}

extension MiddlewareChain: Redacted {
    /// The number of members.
    public var description: String { "middleware with \(members.count) members" }
}
