import GatewayClient
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayNetworkMonitor

/// Networks that answer in place of the configured origins.
@Suite(.timeLimit(.minutes(2)), .tags(.concurrent)) struct PortalCheckTests {
    private let clock = ManualClock()
    private let source = ScriptedTableSource(.online())
    private let origin: Origin
    private let other: Origin

    init() throws {
        origin = try Origin("http://api.example.com")
        other = try Origin("https://secure.example.com")
    }

    private func makeMonitor(
        _ change: (inout ReachabilityMonitor.Configuration) -> Void
    ) throws -> ReachabilityMonitor {
        var configuration = ReachabilityMonitor.Configuration()
        configuration.clock = clock
        configuration.origins = [origin, other]
        change(&configuration)
        return try ReachabilityMonitor(
            configuration: configuration, source: source, connector: ScriptedConnector())
    }

    /// `network.captive-portal`: against a server that behaves as the operator of a portal makes it.
    @Test func responsesThatAreNotTheOrigins() async throws {
        let gateway = try EmbeddedGateway.start()
        gateway.route(.get, "/health") { _ in .text("service is fine") }
        gateway.route(.get, "/511") { _ in .status(511) }
        gateway.route(.get, "/portal") { _ in
            .init(status: 302, fields: [.location: "http://portal.example.net/login"])
        }
        gateway.route(.get, "/moved") { _ in .init(status: 308, fields: [.location: "/health"]) }
        gateway.route(.get, "/secured") { _ in
            .init(status: 301, fields: [.location: "https://127.0.0.1/health"])
        }
        gateway.route(.get, "/twice") { _ in
            .init(status: 302, fields: [.location: "/health", .location: "/health"])
        }
        gateway.route(.get, "/elsewhere-too") { _ in
            .init(status: 302, fields: [.location: "/health", .location: "http://portal.example.net/login"])
        }
        gateway.route(.get, "/page") { _ in .text("<html>Accept our terms</html>") }
        gateway.route(.get, "/long") { _ in .text(String(repeating: "terms ", count: 20_000)) }
        gateway.route(.get, "/broken") { _ in .status(503) }
        let transport = CurlTransport()
        let expected: [(path: String, text: String?, answer: PortalCheck.Answer)] = [
            ("/health", nil, .origin), ("/health", "fine", .origin), ("/511", nil, .portal),
            ("/portal", nil, .portal), ("/moved", nil, .origin), ("/secured", nil, .origin),
            ("/twice", nil, .origin), ("/elsewhere-too", nil, .portal),
            ("/page", nil, .origin), ("/page", "fine", .portal), ("/long", "fine", .portal),
            ("/long", nil, .origin), ("/broken", "fine", .origin), ("/missing", "fine", .origin),
        ]
        for (path, text, answer) in expected {
            let check = PortalCheck(
                transport: transport, path: path, expectedText: text, timeout: .seconds(60))
            #expect(
                await check.answer(from: gateway.origin, clock: SystemClock()) == answer,
                "\(path), \(text ?? "-")")
        }
        gateway.refuseConnections(to: .api)
        // A kept connection would be served.
        await transport.shutdown()
        let check = PortalCheck(transport: CurlTransport(), timeout: .seconds(60))
        #expect(await check.answer(from: gateway.origin, clock: SystemClock()) == .unknown)
    }

    /// `network.captive-portal`
    @Test func aPortalIsToldUntilItsOriginAnswers() async throws {
        let isOpen = Locked(false)
        let transport = ScriptedTransport { request, _ in
            guard request.origin.scheme == .http else {
                return isOpen.withLock { $0 }
                    ? .status(200) : .failure(NetworkError(.tlsFailure, "Not trusted.", phase: .tls))
            }
            return isOpen.withLock { $0 }
                ? .status(204)
                : .status(302, fields: [.location: "http://portal.example.net/?from=api"])
        }
        let monitor = try makeMonitor {
            $0.portalCheck = PortalCheck(transport: transport, path: "/health?light")
        }
        let recorder = EventRecorder()
        let outlet = EventOutlet(recorder)
        monitor.report(to: outlet)
        let status = NetworkStatus(of: monitor, clock: clock)
        #expect(await isEventually { monitor.condition.obstacle == .captivePortal })
        #expect(monitor.isConnected && monitor.condition.isOnline)
        let line = "online, sign-in required. This network requires a sign-in; open its page in a browser."
        #expect(await isEventually { status.line.description == line })
        isOpen.withLock { $0 = true }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        #expect(await isEventually { status.line.description == "online" })
        #expect(await isEventually { recorder.stateEvents.last?.kind == .networkObstacleChanged(nil) })
        // No other host was asked, and nothing was sent along.
        #expect(Set(transport.requests.map(\.origin)) == [origin, other])
        #expect(
            transport.requests.allSatisfy { $0.target == "/health?light" && $0.fields[.authorization] == nil }
        )

        // Another network has nothing of this one.
        isOpen.withLock { $0 = false }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        #expect(await isEventually { monitor.condition.obstacle == .captivePortal })
        isOpen.withLock { $0 = true }
        await clock.waitForSleepers(1)
        source.report(.online(2))
        await clock.waitForSleepers(2)
        clock.advance(by: .milliseconds(500))
        #expect(await isEventually { monitor.condition.obstacle == nil })
    }

    private func record(_ kind: RequestEvent.Kind, of origin: Origin, to observer: any RequestEventSink) {
        observer.record(
            RequestEvent(
                instant: clock.now, callID: 1, operation: nil, origin: origin, method: .get, kind: kind))
    }

    /// `network.intercepted-tls`
    @Test func failuresOfATrustedOriginAreAnInterception() throws {
        let monitor = try makeMonitor { $0.reportsInterceptedTLS = true }
        let observer = try #require(monitor.observer)
        #expect(observer.interests == [.exchanges, .attempts])
        let failed = RequestEvent.Kind.attemptEnded(AttemptEnd(.error(.tlsFailure, phase: .tls)))
        var timings = ExchangeTimings()
        timings.tls = .milliseconds(3)
        timings.firstByte = .milliseconds(5)
        // An origin that was never trusted has a certificate that is wrong.
        for _ in 0..<5 { record(failed, of: other, to: observer) }
        #expect(monitor.condition.obstacle == nil)
        record(.exchanged(timings), of: other, to: observer)
        record(failed, of: other, to: observer)
        record(.exchanged(timings), of: other, to: observer)
        record(failed, of: other, to: observer)
        #expect(monitor.condition.obstacle == nil, "one in a row")
        record(failed, of: try Origin("https://elsewhere.example.com"), to: observer)
        // A connection that is used again says nothing of certificates.
        var reused = timings
        reused.tls = nil
        record(.exchanged(reused), of: other, to: observer)
        record(failed, of: other, to: observer)
        #expect(monitor.condition.obstacle == .interceptedTLS && monitor.condition.isOnline)
        record(.exchanged(timings), of: other, to: observer)
        #expect(monitor.condition.obstacle == nil)
        let other = AttemptEnd(.error(.connectionLost, phase: .tls))
        for _ in 0..<5 { record(.attemptEnded(other), of: self.other, to: observer) }
        #expect(monitor.condition.obstacle == nil)
    }

    /// `network.intercepted-tls`
    @Test func callsAreNotObservedForItUnlessAskedFor() throws {
        let monitor = try makeMonitor { _ in }
        #expect(monitor.observer?.interests == .exchanges)
        #expect(monitor.condition.obstacle == nil && clock.sleeperCount == 0)
    }

    @Test func impossibleSettingsAreRefused() throws {
        func message(_ change: (inout ReachabilityMonitor.Configuration) -> Void) -> String? {
            do {
                _ = try makeMonitor {
                    $0.portalCheck = PortalCheck(transport: ScriptedTransport())
                    change(&$0)
                }
            } catch { return (error as? NetworkError)?.message }
            return nil
        }
        #expect(
            message { $0.portalCheck?.timeout = .zero }
                == "Invalid setting 'portalCheck.timeout': must be more than 0.")
        #expect(
            message { $0.portalCheck?.path = "health" }
                == "Invalid setting 'portalCheck.path': must begin with /.")
        #expect(
            message { $0.portalCheck?.expectedText = "" }
                == "Invalid setting 'portalCheck.expectedText': must not be empty.")
        #expect(message { $0.origins = [] } == "Invalid setting 'portalCheck': needs origins to request.")
        #expect(
            message {
                $0.portalCheck = nil
                $0.origins = []
                $0.reportsInterceptedTLS = true
            } == "Invalid setting 'reportsInterceptedTLS': needs origins.")
    }
}
