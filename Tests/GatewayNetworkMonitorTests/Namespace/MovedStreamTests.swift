import Foundation
import GatewayClient
@_spi(Generated) import GatewayOpenAPI
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayNetworkMonitor

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A stream of server-sent events whose machine gets another address.
@Suite(
    .serialized, .timeLimit(.minutes(2)), .tags(.concurrent),
    .enabled(if: NetworkNamespace.isEnabled, "This process may not make network namespaces (ip netns add)."))
struct MovedStreamTests {
    /// Sends ten events after `Last-Event-ID` on each connection, and later ones when it is told to.
    private final class EventService: Sendable {
        /// The `Last-Event-ID` of each request.
        let lastIDs = Locked<[Int?]>([])
        let lateCount = Locked(0)
        private let mayGoOn = DispatchSemaphore(value: 0)

        func goOn() { mayGoOn.signal() }

        var service: NamespaceServer.Service {
            { [self] connection in
                guard let request = NamespaceServer.receive(connection) else { return }
                let field = String(decoding: request, as: UTF8.self).split(separator: "\r\n").first {
                    $0.lowercased().hasPrefix("last-event-id:")
                }
                let last = field.flatMap { Int($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) }
                lastIDs.withLock { $0.append(last) }
                let head =
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                guard NamespaceServer.deliver(Array(head.utf8), to: connection) else { return }
                let next = (last ?? 0) + 1
                guard deliver(next..<next + 10, to: connection) else { return }
                mayGoOn.wait()
                // Nobody acknowledges what is sent to an address that is gone.
                if deliver(next + 10..<next + 15, to: connection) { lateCount.withLock { $0 += 1 } }
                while NamespaceServer.receive(connection) != nil {}
            }
        }

        private func deliver(_ ids: Range<Int>, to connection: Int32) -> Bool {
            ids.allSatisfy { id in
                let event = "retry: 1\nid: \(id)\ndata: \(id)\n\n"
                let chunk = "\(String(event.utf8.count, radix: 16))\r\n\(event)\r\n"
                return NamespaceServer.deliver(Array(chunk.utf8), to: connection)
            }
        }
    }

    /// `network.transition-ends-stranded`: the transition ends the connection, and nothing else does.
    @Test func aStreamGoesOnFromAnotherAddress() async throws {
        try #require(NetworkNamespace.isAvailable)
        let pair = try NamespacePair()
        let events = EventService()
        let server = try await NamespaceServer(
            in: pair.there, address: NamespacePair.serverAddress, service: events.service)
        let clock = ManualClock()
        let (monitor, engine) = try await pair.makeEngine(clock: clock)
        let latest = LatestReachability(of: monitor)
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
        let before = monitor.reachability
        var ids: [String] = []
        for try await event in stream.messages {
            ids.append(event.id)
            if ids.count == 10 {
                try pair.here.batch(["addr del 10.99.0.1/24 dev v0", "addr add 10.99.0.7/24 dev v0"])
                #expect(
                    await latest.becomes("another address") {
                        $0.isOnline && $0.lifelines != before.lifelines
                    })
                events.goOn()
                #expect(await isEventually { events.lateCount.withLock { $0 } == 1 })
                #expect(events.lastIDs.withLock { $0 } == [nil])
                try await clock.pass(.milliseconds(500))
            }
            if ids.count == 20 { break }
        }
        #expect(ids == (1...20).map { "\($0)" })
        #expect(events.lastIDs.withLock { $0 } == [nil, 10])
        events.goOn()
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
        let clock = ManualClock()
        let (monitor, engine) = try await pair.makeEngine(clock: clock)
        let latest = LatestReachability(of: monitor)
        let request = try HTTPRequest(
            .get, "http://\(NamespacePair.serverText):\(NamespaceServer.port)/")
        let call = Task { () -> NetworkError? in
            do throws(NetworkError) { _ = try await engine.send(request) } catch { return error }
            return nil
        }
        #expect(await isEventually { requests.value.withLock { $0 } == 1 })
        // Another address changes nothing while the old one is there.
        try await pair.here.ip(["addr", "add", "10.99.7.1/24", "dev", "v0"])
        try #require(await latest.becomes("two addresses") { $0.lifelines.count == 2 })
        #expect(clock.sleeperCount == 0)
        try await pair.here.ip(["addr", "del", "10.99.0.1/24", "dev", "v0"])
        try await clock.pass(.milliseconds(500))
        // The limits of the call are an hour.
        let error = try #require(await call.value)
        #expect(error.code == .connectionLost && error.phase == .firstByte && error.mayHaveBeenSent)
        #expect(error.message.hasPrefix("The network has changed: the connection to 10.99.0.2:8080 "))
        await engine.shutdown(within: .zero)
        withExtendedLifetime((server, monitor)) {}
    }

    private final class RequestCount: Sendable {
        let value = Locked(0)
    }
}
