import GatewayCore
import Testing

@testable import GatewayCurl

/// Which origins callers may wait for themselves.
@Suite struct OriginPacesTests {
    private let limits = VisitLimits(isAllowed: true, quick: 100, proof: 3, visit: 150)
    private let origin: Origin

    init() throws { origin = try Origin("http://127.0.0.1:8080") }

    private func paces(_ exchanges: [(took: Int64, isAlone: Bool)]) -> OriginPaces {
        var paces = OriginPaces(limits: limits)
        for exchange in exchanges { paces.learn(origin, took: exchange.took, isAlone: exchange.isAlone) }
        return paces
    }

    @Test(
        arguments: [
            ([], false),
            ([(100, true), (100, true)], false),
            ([(100, true), (100, true), (100, true)], true),
            ([(100, true), (100, true), (101, true), (100, true), (100, true)], false),
            ([(1, true), (1, true), (1, false)], false),
            ([(1, true), (1, true), (1, true), (500, true)], false),
        ] as [([(Int64, Bool)], Bool)])
    func quickExchangesInARow(exchanges: [(Int64, Bool)], isQuick: Bool) {
        var paces = paces(exchanges.map { (took: $0.0, isAlone: $0.1) })
        let found = paces.isQuick(origin)
        #expect(found == isQuick)
    }

    @Test func aSlowExchangeDoublesTheProof() throws {
        var paces = paces([(1, true), (1, true), (1, true)])
        var needed: [Int] = []
        for _ in 0..<10 {
            paces.recordSlowExchange(origin)
            var count = 0
            while !paces.isQuick(origin), count < 1000 {
                paces.learn(origin, took: 1, isAlone: true)
                count += 1
            }
            needed.append(count)
        }
        #expect(needed == [6, 12, 24, 48, 96, 192, 384, 384, 384, 384])
    }

    @Test func goodVisitsWinTrustBack() throws {
        var paces = paces([(1, true), (1, true), (1, true)])
        for _ in 0..<3 { paces.recordSlowExchange(origin) }
        // Twenty-four are needed now; as many good visits halve that, then twelve, down to what it began with.
        for _ in 0..<(24 + 12 + 6 + 100) { paces.recordFastExchange(origin) }
        for _ in 0..<3 { paces.learn(origin, took: 1, isAlone: true) }
        let isQuick = paces.isQuick(origin)
        #expect(isQuick)
    }

    @Test func originsAreKnownOneByOneAndTheOldestIsForgotten() throws {
        var paces = paces([(1, true), (1, true), (1, true)])
        for port in 1...OriginPaces.capacity {
            let other = try Origin("http://127.0.0.1:\(port)")
            let isQuick = paces.isQuick(other)
            #expect(!isQuick)
            paces.learn(other, took: 1, isAlone: true)
        }
        let isQuick = paces.isQuick(origin)
        #expect(!isQuick)
    }
}
