import Foundation
import GatewayClient
@_spi(Generated) import GatewayOpenAPI
import GatewayTesting
import Testing

@testable import GatewayNetworkMonitor

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A stream of server-sent events whose machine gets another address.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: NetworkNamespace.isEnabled, "This process may not make network namespaces (ip netns add)."))
struct MovedStreamTests {
    /// Sends an event every 20 ms, from the one after `Last-Event-ID` on.
    private static let events: NamespaceServer.Service = { connection in
        guard let request = NamespaceServer.receive(connection) else { return }
        // Nobody acknowledges what is sent to an address that is gone.
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let field = String(decoding: request, as: UTF8.self).split(separator: "\r\n").first {
            $0.lowercased().hasPrefix("last-event-id:")
        }
        var id = field.flatMap { Int($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) } ?? 0
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        guard NamespaceServer.deliver(Array(head.utf8), to: connection) else { return }
        while true {
            id += 1
            let event = "retry: 10\nid: \(id)\ndata: \(id)\n\n"
            let chunk = "\(String(event.utf8.count, radix: 16))\r\n\(event)\r\n"
            guard NamespaceServer.deliver(Array(chunk.utf8), to: connection) else { return }
            usleep(20_000)
        }
    }

    /// `network.transition-ends-stranded`
    @Test func aStreamGoesOnFromAnotherAddress() async throws {
        try #require(NetworkNamespace.isAvailable)
        let pair = try NamespacePair()
        let server = try await NamespaceServer(
            in: pair.there, address: NamespacePair.serverAddress, service: Self.events)
        let made = await pair.here.run { () -> (ReachabilityMonitor, GatewayEngine)? in
            guard let monitor = try? ReachabilityMonitor() else { return nil }
            var configuration = GatewayConfiguration()
            configuration.network = monitor
            configuration.deadline = nil
            return (monitor, GatewayEngine(configuration: configuration))
        }
        let (monitor, engine) = try #require(made ?? nil)
        let client = APIClient(
            server: ServerChoice(url: "http://\(NamespacePair.serverText):\(NamespaceServer.port)"),
            credentials: ConfiguredCredentials(), defaults: CallOptions(), engine: engine)
        let request = RequestBuilder(
            client,
            OperationDescriptor(
                id: "events", method: "GET", path: "/events", accept: "text/event-stream", security: nil,
                idempotencyKey: nil),
            CallOptions())
        let stream = EventStream<String, NoDocumentedFailure>(request, .events, from: 200, through: 299)
            .resuming()
        let transitions = monitor.transitions()
        var ids: [String] = []
        var moved: ContinuousClock.Instant?
        var times: [Duration] = []
        for try await event in stream.messages {
            ids.append(event.id)
            if ids.count == 10 {
                try pair.here.batch(["addr del 10.99.0.1/24 dev v0", "addr add 10.99.0.7/24 dev v0"])
                (moved, times) = (.now, [.zero])
            } else if let moved {
                // The longest pause is that of the lost connection.
                times.append(moved.duration(to: .now))
            }
            if ids.count == 200 { break }
        }
        #expect(ids == (1...200).map { "\($0)" })
        try await transitions.wait(for: "another network") { $0.kind == .moved }
        let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
        let longest = try #require(pauses.max())
        print("moved stream: the longest pause was \(longest)")
        #expect(longest >= .milliseconds(300), "the connection was never lost")
        #expect(longest < RealTime.limit(.seconds(10)), "the limit between two pieces is 30 s")
        await engine.shutdown(within: .zero)
        withExtendedLifetime(server) {}
    }

    /// `network.transition-ends-stranded`: streams alone go on; a response that is waited for fails at once.
    @Test func aResponseThatCannotArriveIsNotWaitedFor() async throws {
        try #require(NetworkNamespace.isAvailable)
        let pair = try NamespacePair()
        let requests = RequestCount()
        let server = try await NamespaceServer(in: pair.there, address: NamespacePair.serverAddress) {
            // Never answers.
            while NamespaceServer.receive($0) != nil { requests.value.withLock { $0 += 1 } }
        }
        let made = await pair.here.run { () -> (ReachabilityMonitor, GatewayEngine)? in
            guard let monitor = try? ReachabilityMonitor() else { return nil }
            var configuration = GatewayConfiguration()
            configuration.network = monitor
            configuration.retry = .never
            return (monitor, GatewayEngine(configuration: configuration))
        }
        let (monitor, engine) = try #require(made ?? nil)
        let request = try HTTPRequest(
            .get, "http://\(NamespacePair.serverText):\(NamespaceServer.port)/")
        let transitions = monitor.transitions()
        let call = Task { () -> NetworkError? in
            do throws(NetworkError) { _ = try await engine.send(request) } catch { return error }
            return nil
        }
        #expect(await isEventually { requests.value.withLock { $0 } == 1 })
        // Another address changes nothing while the old one is there.
        try await pair.here.ip(["addr", "add", "10.99.7.1/24", "dev", "v0"])
        let begin = ContinuousClock.now
        try await pair.here.ip(["addr", "del", "10.99.0.1/24", "dev", "v0"])
        try await transitions.wait(for: "another network") { $0.kind == .moved }
        let error = try #require(await call.value)
        #expect(error.code == .connectionLost && error.phase == .firstByte && error.mayHaveBeenSent)
        #expect(error.message.hasPrefix("The network has changed: the connection to 10.99.0.2:8080 "))
        #expect(
            begin.duration(to: .now) < RealTime.limit(.seconds(10)), "the limit of the first byte is 30 s")
        await engine.shutdown(within: .zero)
        withExtendedLifetime(server) {}
    }

    private final class RequestCount: Sendable {
        let value = Locked(0)
    }
}
