import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@testable import GatewayOpenAPI

/// What ends the decoding of a response before its end.
@Suite struct DecodingLimitTests {
    /// Answers, and lets something happen after the response has arrived.
    private struct Engine: RequestEngine {
        let body: String
        let services: EngineServices
        let afterwards: @Sendable () -> Void

        func send(
            _ request: HTTPRequest, context: RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            afterwards()
            return HTTPResponse(
                status: 200, fields: ["Content-Type": "application/json"], body: .bytes(Array(body.utf8)),
                exchange: Exchange(origin: request.origin))
        }
    }

    private func numbers(_ count: Int) -> String {
        #"{"numbers":["# + Array(repeating: "1", count: count).joined(separator: ",") + "]}"
    }

    private func call(
        _ count: Int, _ options: CallOptions = CallOptions(), clock: ManualClock = ManualClock(),
        afterwards: @escaping @Sendable () -> Void = {}
    ) async -> NetworkError.Code? {
        let engine = Engine(
            body: numbers(count), services: EngineServices(clock: clock), afterwards: afterwards)
        let client = ThicketClient(engine: engine)
        do {
            _ = try await client.getThicket(options: options)
            return nil
        } catch {
            if case .failed(let network) = error.failure {
                #expect(network.mayHaveBeenSent && network.status == 200)
            }
            #expect(error.response?.status == 200)
            return error.code
        }
    }

    @Test(arguments: [(100_000, true), (100, false)])
    func cancellationEndsALargeDecode(count: Int, isLarge: Bool) async {
        let code = await Task { () -> NetworkError.Code? in
            await call(count) { withUnsafeCurrentTask { $0?.cancel() } }
        }.value
        #expect(code == (isLarge ? .cancelled : nil))
    }

    @Test(arguments: [(100_000, true), (100, false)])
    func theDeadlineEndsALargeDecode(count: Int, isLarge: Bool) async {
        let clock = ManualClock()
        let code = await call(count, CallOptions(deadline: .seconds(5)), clock: clock) {
            clock.advance(by: .seconds(6))
        }
        #expect(code == (isLarge ? .timeout : nil))
        let inTime = await call(count, CallOptions(deadline: .seconds(5)), clock: clock) {
            clock.advance(by: .seconds(4))
        }
        #expect(inTime == nil)
    }

    /// The object, its member's name, the array and its elements.
    @Test(arguments: [(103, true), (102, false), (nil, true), (0, false)])
    func valuesAreLimited(limit: Int?, isDecoded: Bool) async {
        let code = await call(100, CallOptions(jsonValueLimit: limit))
        #expect(code == (isDecoded ? nil : .decodingFailed))
    }

    /// Nothing is sent.
    @Test func anImpossibleLimitNamesItsProperty() async {
        let engine = ScriptedEngine(.status(200))
        for options in [CallOptions(jsonValueLimit: -1), CallOptions(responseLimit: -1)] {
            let property = options.responseLimit == nil ? "jsonValueLimit" : "responseLimit"
            do {
                _ = try await ThicketClient(engine: engine).getThicket(options: options)
                Issue.record("no error")
            } catch {
                #expect(error.code == .misconfigured && "\(error)".contains("'\(property)'"))
            }
        }
        #expect(engine.requests.isEmpty)
    }

    @Test func theOptionsOfACallGoBeforeTheClients() {
        let defaults = CallOptions(jsonValueLimit: 1)
        #expect(CallOptions(jsonValueLimit: 2).over(defaults).jsonValueLimit == 2)
        #expect(CallOptions().over(defaults).jsonValueLimit == 1)
    }
}
