import GatewayCore
import GatewayTesting
import Synchronization
import TestTiers
import Testing

@testable import GatewayCurl

/// More requests at once than one multi handle carries.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct PoolTests {
    /// 200 requests stand still on all pools but the last; those beside them go on, over a connection that is kept.
    @Test func requestsBesideManyThatWaitKeepTheirConnection() async throws {
        let (gate, waiting) = (ThreadGate(), 200)
        let server = FaultServer { connection in
            while let request = connection.readRequest() {
                if request.line.contains("/hold") { gate.wait() }
                connection.write(ok(request.line))
            }
        }
        defer { server.stop() }
        let transport = transport {
            $0.connectionsPerOrigin = 256
            $0.connectionsInAll = 256
        }
        let url = server.url
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<waiting { group.addTask { try await transport.send(.get, url + "/hold").status } }
            await eventually { server.requests.count >= waiting }
            for number in 0..<20 {
                #expect(try await transport.send(.get, url + "/\(number)").text.contains("/\(number) "))
            }
            #expect(server.connectionCount == waiting + 1)
            gate.open()
            for try await status in group { #expect(status == 200) }
        }
        // Everything is at rest: the first pool's connections are used again.
        for _ in 0..<20 { #expect(try await transport.send(.get, url).status == 200) }
        #expect(server.connectionCount == waiting + 1)
        await transport.shutdown()
    }

    /// Pools that were needed for a burst alone are given up, and their connections closed, when these have rested long
    /// enough; also where a later one is still in use.
    @Test(arguments: [false, true])
    func connectionsOfABurstAreClosedOnceTheyHaveRested(isLastOneHeld: Bool) async throws {
        let (gate, last, burst) = (ThreadGate(), ThreadGate(), 150)
        let open = Atomic(0)
        let server = FaultServer { connection in
            open.add(1, ordering: .sequentiallyConsistent)
            while let request = connection.readRequest() {
                if request.line.contains("/last") { last.wait() } else { gate.wait() }
                connection.write(ok("hello"))
            }
            open.subtract(1, ordering: .sequentiallyConsistent)
        }
        defer {
            gate.open()
            last.open()
            server.stop()
        }
        let clock = ManualClock()
        let transport = transport {
            $0.clock = clock
            $0.connectionsPerOrigin = 256
            $0.maximumConnectionIdle = .seconds(1)
        }
        let url = server.url
        let isHeld = isLastOneHeld
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1..<burst { group.addTask { try await transport.send(.get, url).status } }
            await eventually { server.requests.count >= burst - 1 }
            group.addTask { try await transport.send(.get, url + "/last").status }
            await eventually { server.requests.count >= burst }
            gate.open()
            if !isHeld { last.open() }
            if isHeld {
                await transport.waitForStages(.waiting)
            } else {
                await transport.waitForStages()
            }
            clock.advance(by: .milliseconds(999))
            await transport.settle()
            #expect(open.load(ordering: .sequentiallyConsistent) == burst)
            clock.advance(by: .milliseconds(1))
            // The first pool stays as it is, and the last one where it is in use.
            let kept = isHeld ? 64 + burst - 128 : 64
            await eventually { open.load(ordering: .sequentiallyConsistent) == kept }
            last.open()
            for try await status in group { #expect(status == 200) }
        }
        #expect(try await transport.send(.get, url).status == 200)
        await transport.shutdown()
    }
}
