import GatewayCore
import GatewayCurl
import TestTiers
import Testing

/// A transport with more than one loop.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct SeveralLoopsTests {
    @Test func everyOriginIsServedAndKeepsItsConnection() async throws {
        let servers = (0..<8).map { number in FaultServer { _ in ok("server \(number)") } }
        defer { for server in servers { server.stop() } }
        let transport = transport { $0.loops = 3 }
        for _ in 0..<5 {
            for (number, server) in servers.enumerated() {
                #expect(try await transport.send(.get, server.url).text == "server \(number)")
            }
        }
        // One loop for an origin: the second request finds the connection of the first.
        #expect(servers.map(\.connectionCount) == [Int](repeating: 1, count: 8))
        await transport.shutdown()
    }

    @Test func shuttingDownEndsEveryLoop() async {
        let servers = (0..<6).map { _ in
            FaultServer { connection in
                _ = connection.readRequest()
                connection.waitForClose()
            }
        }
        defer { for server in servers { server.stop() } }
        let transport = transport { $0.loops = 4 }
        let codes = await withTaskGroup(of: NetworkError.Code?.self) { group in
            for server in servers {
                let url = server.url
                for _ in 0..<5 {
                    group.addTask {
                        await failure { () throws(NetworkError) in try await transport.send(.get, url) }?.code
                    }
                }
            }
            await eventually { servers.allSatisfy { $0.requests.count >= 5 } }
            await transport.shutdown()
            var codes: [NetworkError.Code?] = []
            for await code in group { codes.append(code) }
            return codes
        }
        #expect(codes == [NetworkError.Code?](repeating: .closed, count: 30))
    }

    @Test(arguments: [1, 64]) func anyNumberOfTheRangeServes(loops: Int) async throws {
        let server = FaultServer { _ in ok("hello") }
        defer { server.stop() }
        #expect(try await transport { $0.loops = loops }.send(.get, server.url).text == "hello")
    }
}
