import GatewayCore
import TestTiers
import Testing

@testable import GatewayCurl

/// There are never more connections than `connectionsInAll`, idle ones included.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct ConnectionsInAllTests {
    /// A server that answers when the gate is open.
    private static func server(_ gate: ThreadGate) -> FaultServer {
        FaultServer { connection in
            while connection.readRequest() != nil {
                gate.wait()
                connection.write(ok())
            }
        }
    }

    /// The connections of this process to the servers.
    private static func connections(to servers: [FaultServer]) -> Int {
        servers.reduce(0) { $0 + ClientSocket.all(to: $1.port).count }
    }

    /// Idle connections are closed before others are opened, in several pools, too.
    @Test(arguments: [3, 100]) func idleConnectionsGiveWay(limit: Int) async throws {
        let gates = [ThreadGate(), ThreadGate()]
        let servers = gates.map(Self.server)
        defer {
            for gate in gates { gate.open() }
            for server in servers { server.stop() }
        }
        let transport = transport {
            $0.connectionsPerOrigin = limit
            $0.connectionsInAll = limit
        }
        for (server, gate) in zip(servers, gates) {
            try await withThrowingTaskGroup(of: Int.self) { group in
                let url = server.url
                for _ in 0..<limit { group.addTask { try await transport.send(.get, url).status } }
                await eventually { server.requests.count == limit }
                #expect(Self.connections(to: servers) == limit)
                // The other server sees the end of its connections a little later.
                await eventually { servers.reduce(0) { $0 + $1.openCount } == limit }
                gate.open()
                for try await status in group { #expect(status == 200) }
            }
        }
        #expect(servers.map(\.connectionCount) == [limit, limit])
        await transport.shutdown()
    }

    /// Loops share the connections: with fewer connections than loops there are fewer loops.
    @Test(arguments: [1, 2, 5]) func severalLoopsHaveNoMoreTogether(limit: Int) async throws {
        let gate = ThreadGate()
        let servers = (0..<16).map { _ in Self.server(gate) }
        defer {
            gate.open()
            for server in servers { server.stop() }
        }
        let transport = transport {
            $0.loops = 4
            $0.connectionsInAll = limit
            $0.timeouts.queue = .seconds(3600)
            $0.timeouts.whole = .seconds(3600)
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for server in servers {
                let url = server.url
                group.addTask { try await transport.send(.get, url).status }
            }
            await transport.waitForStatistics { $0.all.active + $0.all.waiting == servers.count }
            #expect(await transport.statistics().all.active <= limit)
            #expect(Self.connections(to: servers) <= limit)
            gate.open()
            for try await status in group { #expect(status == 200) }
        }
        #expect(Self.connections(to: servers) <= limit)
        await transport.shutdown()
    }

    @Test(arguments: [1, 2, 3, 64, 1_000], [1, 2, 3, 7, 64])
    func theSharesOfLoopsAddUp(whole: Int, loops: Int) {
        let configuration = CurlConfiguration {
            $0.connectionsInAll = whole
            $0.waitingLimit = whole - 1
            $0.loops = loops
        }
        let count = LoopSettings(configuration).loops
        #expect(count == min(whole, loops))
        let shares = (0..<count).map { LoopSettings(configuration, loop: $0) }
        #expect(shares.allSatisfy { $0.connectionsInAll > 0 })
        #expect(shares.reduce(0) { $0 + $1.connectionsInAll } == whole)
        #expect(shares.reduce(0) { $0 + $1.waitingLimit } == whole - 1)
    }
}
