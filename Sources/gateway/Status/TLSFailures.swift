import GatewayClient

/// Passes requests on, and keeps why TLS with an origin failed the last time.
final class TLSFailures: Transport {
    private let transport: any Transport
    private let errors = Locked<[Origin: NetworkError]>([:])
    private let report: @Sendable ([String]) -> Void

    /// - Parameter report: called with the lines of a failure, unless that is the one before, too.
    init(_ transport: any Transport, report: @escaping @Sendable ([String]) -> Void = { _ in }) {
        self.transport = transport
        self.report = report
    }

    /// What fails for each origin with which TLS fails, each with what to do.
    var lines: [String] {
        errors.withLock { $0 }.map { Self.lines($1, of: $0) }.sorted { $0[0] < $1[0] }.flatMap { $0 }
    }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        do throws(NetworkError) {
            let response = try await transport.send(request, context: context)
            errors.withLock { $0[request.origin] = nil }
            return response
        } catch {
            if error.code == .tlsFailure || error.code == .pinningFailure { note(error, of: request.origin) }
            throw error
        }
    }

    private func note(_ error: NetworkError, of origin: Origin) {
        let isKnown = errors.withLock { errors in
            defer { errors[origin] = error }
            return errors[origin]?.message == error.message
        }
        if !isKnown { report(Self.lines(error, of: origin)) }
    }

    private static func lines(_ error: NetworkError, of origin: Origin) -> [String] {
        ["\(origin): the TLS handshake failed. \(error.message)"]
            + (Advice.about(error).map { [$0] } ?? [])
    }
}
