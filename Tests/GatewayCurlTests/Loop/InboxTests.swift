import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct InboxTests {
    /// Requests find the loop at work, about to sleep, and asleep. One that does not wake it is never answered: a loop
    /// with nothing to do sleeps for as long as it takes.
    @Test(arguments: [1, 2, 8]) func callersComeAndGo(callers: Int) async {
        let server = FaultServer { _ in ok("hello") }
        defer { server.stop() }
        let (transport, url, answered) = (transport(), server.url, Tally())
        await withTaskGroup(of: Void.self) { group in
            for caller in 0..<callers {
                group.addTask {
                    var random = SeededGenerator(seed: TestSeed.value(UInt64(caller)))
                    for _ in 0..<150 {
                        for _ in 0..<Int(random.next() % 4) { await Task.yield() }
                        if (try? await transport.send(.get, url).text) == "hello" { answered.add() }
                    }
                }
            }
        }
        #expect(answered.count == callers * 150)
        await transport.shutdown()
    }
}
