import Foundation
import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

/// HTTP/2 streams that end before their content does.
@Suite(.timeLimit(.minutes(1)), .needsServerIdentity)
struct TornStreamTests {
    private typealias Frame = HTTP2FaultServer.Frame

    /// How a server tears a response: the length that it announces, and what follows five bytes of content.
    enum Tear: CaseIterable, Sendable {
        case resetWithoutError, resetWithoutErrorAndLength, cancelled, cancelledWithoutLength, endedTooEarly,
            endedTooLate

        func frames(_ stream: UInt32) -> [HTTP2FaultServer.Frame] {
            switch self {
            case .resetWithoutError:
                [
                    .head(stream: stream, length: 10), .data("12345", stream: stream),
                    .reset(stream: stream, code: 0),
                ]
            case .resetWithoutErrorAndLength:
                [.head(stream: stream), .data("12345", stream: stream), .reset(stream: stream, code: 0)]
            case .cancelled:
                [
                    .head(stream: stream, length: 10), .data("12345", stream: stream),
                    .reset(stream: stream, code: 8),
                ]
            case .cancelledWithoutLength:
                [.head(stream: stream), .data("12345", stream: stream), .reset(stream: stream, code: 8)]
            case .endedTooEarly:
                [
                    .head(stream: stream, length: 10),
                    .data("12345", stream: stream, flags: Frame.endsStream),
                ]
            case .endedTooLate:
                [
                    .head(stream: stream, length: 3),
                    .data("12345", stream: stream, flags: Frame.endsStream),
                ]
            }
        }
    }

    private func collect(_ server: HTTP2FaultServer, streaming: Bool) async -> Result<String, NetworkError> {
        let transport = speakingHTTP2(to: server)
        do throws(NetworkError) {
            guard streaming else { return .success(try await transport.send(.get, server.url).text) }
            let body = try await transport.stream(.get, server.url).body
            let bytes = try await body.collect(upToBytes: 1 << 20)
            return .success(String(decoding: bytes, as: UTF8.self))
        } catch {
            return .failure(error)
        }
    }

    @Test(
        arguments: Tear.allCases.map { ($0, true) } + [
            (.resetWithoutErrorAndLength, false), (.endedTooEarly, false),
        ])
    func aTornStreamIsNeverAShortSuccess(tear: Tear, streaming: Bool) async throws {
        let server = HTTP2FaultServer { tear.frames($0.stream) }
        defer { server.stop() }
        let result = await collect(server, streaming: streaming)
        #expect(server.requestCount == 1)
        guard case .failure(let error) = result else {
            Issue.record("a short success: \(result)")
            return
        }
        #expect(
            [.truncated, .connectionLost, .malformedResponse].contains(error.code), "\(error)")
        #expect(error.mayHaveBeenSent && error.attempts == 1)
    }

    /// The server says what it is told to: the same frames without a tear are a response.
    @Test(arguments: [false, true])
    func aWholeStreamIsAResponse(streaming: Bool) async throws {
        let server = HTTP2FaultServer { request in
            [
                .head(stream: request.stream, length: 10), .data("12345", stream: request.stream),
                .data("67890", stream: request.stream, flags: Frame.endsStream),
            ]
        }
        defer { server.stop() }
        #expect(try await collect(server, streaming: streaming).get() == "1234567890")
    }

    /// A server that goes away before it looked at the request: an error at once, and no second sending.
    @Test(arguments: [false, true])
    func goingAwayIsAnErrorAtOnce(ends: Bool) async throws {
        let server = HTTP2FaultServer(ends: ends) { _ in [.goAway(last: 0, code: 0)] }
        defer { server.stop() }
        guard case .failure(let error) = await collect(server, streaming: false) else {
            Issue.record("no error")
            return
        }
        #expect(![.timeout, .connectionRefused, .other].contains(error.code), "\(error)")
        #expect(server.requestCount == 1)
    }
}
