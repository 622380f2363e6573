public import GatewayCore

/// Keeps the rate limits of servers: calls wait for their turn in a ``RateGate`` before they are sent, and their responses
/// close its gates.
///
/// It holds nothing while a call waits. An engine has it below retries, so that each attempt passes it.
public struct RateGateEngine<Below: RequestEngine>: EngineLayer {
    private let below: Below
    private let gate: RateGate?

    /// Makes a layer above an engine.
    ///
    /// - Parameters:
    ///   - below: the engine that makes the attempts.
    ///   - gate: the gates; `nil` for none.
    public init(below: Below, gate: RateGate?) {
        self.below = below
        self.gate = gate
    }

    /// The engine below.
    public var engineBelow: any RequestEngine { below }
    /// The clock of the engine below.
    public var clock: any GatewayClock { below.clock }
    /// Those of the engine below.
    public var plainHTTP: PlainHTTPHosts { below.plainHTTP }
    /// Those of the engine below.
    public var operationOptions: OperationOptions { below.operationOptions }

    /// Waits for the turn of the call, and makes it.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `rateLimited` if the turn comes too late, otherwise what the
    ///   engine below throws.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        guard let gate else { return try await below.send(request, context: context) }
        return try await send(request, context, gate)
    }

    /// Out of line, so that engines without a gate have no larger async frame.
    @inline(never)
    private func send(
        _ request: HTTPRequest, _ context: RequestContext, _ gate: RateGate
    ) async throws(NetworkError) -> HTTPResponse {
        var context = context
        while true {
            var mark = gate.mark
            if mark.isLimiting { mark = try await gate.wait(request, context) }
            if context.departureMark != mark.bits { context.departureMark = mark.bits }
            do {
                let response = try await below.send(request, context: context)
                gate.note(response, to: request, context, mark)
                return response
            } catch {
                // The gate closed while the request waited for a connection.
                guard error.code == .heldBack else {
                    if error.code == .abandoned { noteLater(request, context, gate, mark) }
                    throw error
                }
                guard !context.isHedgeUnderWay else { throw .givenUp(request.origin) }
            }
        }
    }

    /// The call goes on without the attempt, whose response is noted when it comes.
    @inline(never)
    private func noteLater(
        _ request: HTTPRequest, _ context: RequestContext, _ gate: RateGate, _ mark: RateGate.Mark
    ) {
        context.whenExchangeEnds { outcome in
            if case .success(let response) = outcome { gate.note(response, to: request, context, mark) }
        }
    }
}

extension RateGateEngine: Redacted {}
