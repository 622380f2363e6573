import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayNetworkMonitor

@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct NetworkStatusTests {
    @Test(arguments: [
        (NetworkStatusLine(quality: .excellent), "online"), (NetworkStatusLine(quality: .moderate), "online"),
        (NetworkStatusLine(quality: .poor), "online, poor. Calls take longer than usual."),
        (
            NetworkStatusLine(quality: .poor, retrying: 2, queued: 3),
            "online, poor, retrying 2, 3 queued. Calls take longer than usual."
        ),
        (
            NetworkStatusLine(quality: .offline, offlineSince: .seconds(1_767_225_600 + 3_661)),
            "offline since 01:01:01 UTC. Check the connection; calls fail until the network returns."
        ),
        (
            NetworkStatusLine(quality: .offline, queued: 1, offlineSince: .zero),
            "offline since 00:00:00 UTC, 1 queued. Requests are sent when the network returns."
        ),
        (
            NetworkStatusLine(quality: .good, retrying: 1, obstacle: .originsUnreachable),
            "online, servers not reachable, retrying 1. Check the connection, a VPN and firewalls."
        ),
        (
            NetworkStatusLine(quality: .excellent, obstacle: .captivePortal),
            "online, sign-in required. This network requires a sign-in; open its page in a browser."
        ),
        (
            NetworkStatusLine(quality: .excellent, obstacle: .interceptedTLS),
            "online, secure connections fail. A proxy or firewall may intercept connections; use another network or ask its operator."
        ),
    ])
    func texts(line: NetworkStatusLine, text: String) {
        #expect(line.description == text)
    }

    private func event(_ call: UInt64, _ kind: RequestEvent.Kind) throws -> RequestEvent {
        RequestEvent(
            callID: call, operation: nil, origin: try Origin("https://api.example.com"), method: .get,
            kind: kind)
    }

    @Test func theLineFollowsTheNetworkAndTheCalls() async throws {
        let clock = ManualClock()
        let network = ScriptedNetwork(clock: clock)
        let status = NetworkStatus(of: network, clock: clock)
        var lines = status.lines().makeAsyncIterator()
        #expect(await lines.next() == NetworkStatusLine(quality: .excellent))
        let retry = RequestEvent.Kind.retryScheduled(delay: .seconds(1), status: 503, error: nil)
        try status.record(event(1, .started))
        try status.record(event(1, retry))
        #expect(await lines.next()?.retrying == 1)
        try status.record(event(1, retry))
        try status.record(event(2, retry))
        #expect(await lines.next()?.retrying == 2)
        try status.record(event(1, .succeeded(status: 200, attempts: 3, duration: .zero)))
        #expect(await lines.next()?.retrying == 1)
        try status.record(event(2, .cancelled(attempts: 1, duration: .zero)))
        #expect(await lines.next()?.retrying == 0)
        status.setQueued(4)
        #expect(await lines.next()?.queued == 4)
        let since = clock.unixTime
        network.report(.offline)
        #expect(
            await lines.next() == NetworkStatusLine(quality: .offline, queued: 4, offlineSince: since))
        network.report(.online)
        #expect(await lines.next() == NetworkStatusLine(quality: .excellent, queued: 4))
        network.set(NetworkCondition(quality: .poor))
        #expect(await lines.next()?.quality == .poor)
        network.set(NetworkCondition(quality: .poor, obstacle: .captivePortal))
        #expect(await lines.next()?.obstacle == .captivePortal)
        network.set(NetworkCondition(quality: .poor))
        #expect(await lines.next()?.obstacle == nil)
    }

    @Test func itEndsWithItsNetwork() async throws {
        let network = ScriptedNetwork()
        let status = NetworkStatus(of: network)
        let lines = status.lines()
        network.finish()
        #expect(await lines.reduce(into: 0) { count, _ in count += 1 } == 1)
    }
}
