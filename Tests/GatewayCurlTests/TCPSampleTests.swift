import CLibcurl  // Its headers may be what declares the constants of sockets.
import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayCurl

@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct TCPSampleTests {
    private static func samples(_ recorder: EventRecorder) -> [TCPSample?] {
        recorder.events.compactMap { event in
            if case .exchanged(let timings) = event.kind { return .some(timings.tcp) }
            return nil
        }
    }

    private static func context(_ recorder: EventRecorder) -> RequestContext {
        var context = RequestContext()
        context.events = recorder
        return context
    }

    private static func isSound(_ sample: TCPSample?) -> Bool {
        guard let sample else { return false }
        return sample.roundTripTime > .zero && sample.roundTripTime < .seconds(10)
            && sample.roundTripTimeVariation >= .zero && sample.retransmitCount == 0
            && sample.congestionWindowSegments > 0
    }

    @Test func newAndKeptConnectionsAreSampled() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let (transport, recorder) = (CurlTransport(), EventRecorder())
        for _ in 0..<2 {
            _ = try await transport.send(
                try HTTPRequest(.get, server.url), context: Self.context(recorder))
        }
        let samples = Self.samples(recorder)
        #expect(samples.count == 2 && samples.allSatisfy(Self.isSound))
    }

    /// What went wrong is what one wants to know of.
    @Test func aConnectionThatIsGivenUpIsSampled() async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.waitForClose()
        }
        defer { server.stop() }
        let recorder = EventRecorder()
        let clock = ManualClock()
        let transport = transport { $0.clock = clock }
        let request = try HTTPRequest(.get, server.url)
        let call = Task {
            await failure { () throws(NetworkError) in
                try await transport.send(request, context: Self.context(recorder))
            }
        }
        await transport.waitForStages(.waiting)
        clock.advance(by: .seconds(30))
        #expect(await call.value?.code == .timeout)
        let samples = Self.samples(recorder)
        #expect(samples.count == 1 && samples.allSatisfy(Self.isSound))
    }

    @Test func withoutAConnectionThereIsNoSample() async throws {
        let recorder = EventRecorder()
        let refused = try HTTPRequest(.get, "http://127.0.0.1:\(FaultServer.unusedPort())/")
        _ = await failure { () throws(NetworkError) in
            try await CurlTransport().send(refused, context: Self.context(recorder))
        }
        #expect(Self.samples(recorder) == [nil])
    }

    @Test func aUnixSocketHasNoSample() async throws {
        let path = "/tmp/\(UUID().uuidString)"
        defer { unlink(path) }
        let server = FaultServer(path: path) { connection in
            while connection.readRequest() != nil { connection.write(ok()) }
        }
        defer { server.stop() }
        let recorder = EventRecorder()
        let transport = transport { $0.unixSocketPath = path }
        _ = try await transport.send(
            try HTTPRequest(.get, "http://service.invalid/"), context: Self.context(recorder))
        #expect(Self.samples(recorder) == [nil])
    }

    /// A descriptor that is closed may be another connection's by now.
    @Test func aConnectionThatIsClosedIsNotSampled() async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.write(ok(fields: "Connection: close\r\n"))
        }
        defer { server.stop() }
        let recorder = EventRecorder()
        _ = try await CurlTransport().send(
            try HTTPRequest(.get, server.url), context: Self.context(recorder))
        #expect(Self.samples(recorder) == [nil])
    }
}
