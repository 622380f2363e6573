import CAllocationCounter
import Foundation
import GatewayCore
import GatewayTelemetry
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayDashboard

@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct DashboardServerTests {
    private static let host = "Host: localhost"

    @Test func thePageHasItsHeader() async throws {
        let served = try ServedDashboard()
        defer { served.dashboard.stop() }
        let page = try await served.send("GET \(served.path)", [Self.host])
        for field in [
            "referrer-policy: no-referrer", "cache-control: no-store", "x-content-type-options: nosniff",
            "x-frame-options: deny", "content-type: text/html; charset=utf-8", "script-src 'sha256-",
            "style-src 'sha256-", "connect-src 'self'", "frame-ancestors 'none'", "form-action 'none'",
        ] {
            #expect(page.text.contains(field), "\(field)")
        }
        #expect(served.token.utf8.count == 32 && !page.text.contains("unsafe"))
        #expect(
            !"\(served.dashboard)".contains(served.token)
                && !String(reflecting: served.dashboard).contains(served.token))
    }

    @Test func aViewerGetsAFrameEachSecond() async throws {
        let clock = ManualClock()
        let served = try ServedDashboard(clock: clock)
        defer { served.dashboard.stop() }
        try served.call()
        #expect(!served.collector.isWatched)
        let (port, path, collector) = (served.port, served.path, served.collector)
        let client = try await PageClient.run {
            let client = try PageClient(port: port)
            client.request("GET \(path)stream", [Self.host])
            #expect(client.head().status == 200)
            #expect(client.read(until: "\n\n").contains("retry: 2000"))
            #expect(client.read(until: "\n\n").contains("event: hello"))
            #expect(client.read(until: "event: calls").contains("event: history"))
            #expect(client.read(until: "}\n\n").contains("\"op\":\"list\""))
            #expect(client.read(until: "}\n\n").contains("{\"frame\":1,"))
            return UncheckedBox(client)
        }
        #expect(collector.isWatched && served.dashboard.viewerCount == 1)
        // No frame is made before the second has passed.
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        try await PageClient.run { #expect(client.value.read(until: "}\n\n").contains("{\"frame\":2,")) }
        client.close()
        // It is noticed at the next frames that the viewer is gone, and then no frame is made.
        #expect(
            await isEventually {
                clock.advance(by: .seconds(1))
                return served.dashboard.viewerCount == 0 && !collector.isWatched
            })
    }

    @Test func theNinthViewerIsRefused() async throws {
        let clock = ManualClock()
        let served = try ServedDashboard(clock: clock)
        defer { served.dashboard.stop() }
        let (port, path) = (served.port, served.path)
        let clients = try await PageClient.run {
            UncheckedBox(
                try (0..<8).map { _ in
                    let client = try PageClient(port: port)
                    client.request("GET \(path)stream", [Self.host])
                    #expect(client.head().status == 200)
                    return client
                })
        }
        let ninth = try await served.send("GET \(path)stream", [Self.host])
        #expect(ninth.status == 503 && ninth.text.contains("retry-after: 5"))
        // The page itself is served, and a HEAD is no viewer.
        #expect(try await served.send("GET \(path)", [Self.host]).status == 200)
        #expect(try await served.send("HEAD \(path)stream", [Self.host]).status == 200)
        clients.close()
        // It is noticed at their next frames.
        #expect(
            await isEventually {
                clock.advance(by: .seconds(1))
                return served.dashboard.viewerCount == 0
            })
        #expect(try await served.send("GET \(path)stream", [Self.host]).status == 200)
    }

    /// A viewer that reads nothing holds one event, however many frames are made, and gets the newest one when it reads again.
    @Test func aViewerThatReadsNothingGetsNoFrames() async throws {
        let clock = ManualClock()
        let served = try ServedDashboard(clock: clock)
        defer { served.dashboard.stop() }
        for index in 0..<50 { try served.call(String(repeating: "operation", count: 12) + "\(index)") }
        let (port, path) = (served.port, served.path)
        let stalled = try await PageClient.run {
            let client = try PageClient(port: port, receiveBuffer: 2_048)
            client.request("GET \(path)stream", [Self.host])
            return UncheckedBox(client)
        }
        let reader = try await PageClient.run {
            let client = try PageClient(port: port)
            client.request("GET \(path)stream", [Self.host])
            #expect(client.read(until: "{\"frame\":").contains("event: calls"))
            return UncheckedBox(client)
        }
        // The other viewer gets its frames.
        for _ in 0..<20 {
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
            try await PageClient.run {
                #expect(reader.value.read(until: "{\"frame\":").hasSuffix("{\"frame\":"))
            }
        }
        reader.close()
        // Twenty frames are 500 KiB.
        let old = try await PageClient.run { stalled.value.read(until: "{\"frame\":21,") }
        #expect(old.hasSuffix("{\"frame\":21,") && old.utf8.count < 256 << 10)
        stalled.close()
    }

    /// What a stalled viewer costs does not grow with the frames that it misses, and calls are counted as before.
    @Test(.enabled(if: allocation_counter_works() != 0)) func aViewerThatStallsHoldsLittleMemory()
        async throws
    {
        let clock = ManualClock()
        let served = try ServedDashboard(clock: clock)
        defer { served.dashboard.stop() }
        let (port, path) = (served.port, served.path)
        for index in 0..<600 { try served.call("operation\(index % 20)") }
        let stalled = try await PageClient.run {
            let client = try PageClient(port: port, receiveBuffer: 2_048)
            client.request("GET \(path)stream", [Self.host])
            return UncheckedBox(client)
        }
        func frames(_ count: Int) async throws {
            for _ in 0..<count {
                await clock.waitForSleepers(1)
                try served.call("operation0")
                clock.advance(by: .seconds(1))
            }
            await clock.waitForSleepers(1)
        }
        try await frames(5)
        allocation_counter_start()
        try await frames(40)
        let growth = allocation_live_bytes()
        _ = allocation_counter_stop()
        #expect(growth <= 64 << 10)
        #expect(served.collector.metrics.snapshot().succeeded == 645 && served.dashboard.viewerCount == 1)
        stalled.close()
    }

    @Test func metricsHaveASwitch() async throws {
        let served = try ServedDashboard { $0.servesMetrics = true }
        defer { served.dashboard.stop() }
        try served.call()
        let (port, path) = (served.port, served.path)
        let text = try await PageClient.run {
            let client = try PageClient(port: port)
            client.request("GET /metrics", [Self.host])
            return client.read(until: "gateway_client_started_calls_total")
        }
        #expect(text.contains(" 200 ") && text.lowercased().contains("content-type: text/plain"))
        #expect(!text.contains(path))
        #expect(try await served.send("GET /metrics", ["Host: attacker.example"]).status == 421)
        #expect(try await served.send("POST /metrics", [Self.host]).status == 405)
    }

    @Test func stoppingEndsTheStreams() async throws {
        let served = try ServedDashboard()
        let (port, path) = (served.port, served.path)
        let client = try await PageClient.run {
            let client = try PageClient(port: port)
            client.request("GET \(path)stream", [Self.host])
            _ = client.read(until: "{\"frame\":")
            return UncheckedBox(client)
        }
        served.dashboard.stop()
        served.dashboard.stop()
        try await PageClient.run { _ = client.value.read(until: "never") }
        #expect(throws: NetworkError.self) { try PageClient(port: port) }
        #expect(await isEventually { served.dashboard.viewerCount == 0 })
    }

    @Test func aSocketIsTheUsersAlone() async throws {
        let path = "/tmp/dashboard-\(UUID().uuidString)"
        var options = GatewayDashboard.Options()
        options.address = .unixSocket(path: path)
        let dashboard = try GatewayDashboard(
            DashboardCollector(metrics: nil, clock: SystemClock()), options, random: SystemRandomSource())
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(dashboard.link.hasPrefix("http://localhost/"))
        dashboard.stop()
        #expect(stat(path, &status) != 0)
    }

    @Test func anAddressThatIsTakenIsAnError() throws {
        let served = try ServedDashboard()
        defer { served.dashboard.stop() }
        let error = #expect(throws: NetworkError.self) {
            try ServedDashboard { $0.address = .loopback(port: served.port) }
        }
        #expect(error?.code == .misconfigured)
    }
}

/// A client that is used by one thread after the other.
final class UncheckedBox<Value>: @unchecked Sendable {
    private var held: Value?

    init(_ value: Value) { held = value }

    var value: Value { held! }

    /// Releases it.
    func close() { held = nil }
}
