import Foundation
import GatewayCore
import TestTiers
import Testing

/// `broadcast.no-gap`
@Suite struct BroadcastTests {
    private static func values(_ stream: AsyncStream<Int>) async -> [Int] {
        var values: [Int] = []
        for await value in stream { values.append(value) }
        return values
    }

    /// The change comes after the first value was read, and before the stream has it.
    @Test func aChangeWhileAStreamBeginsIsDelivered() async {
        let broadcast = Broadcast<Int>()
        let stream = broadcast.stream {
            broadcast.send(2)
            return 1
        }
        broadcast.send(3)
        broadcast.finish()
        #expect(await Self.values(stream) == [1, 2, 3])
    }

    /// Of two changes of a state the one that was made first may be reported last.
    @Test func theLatestValueIsReadInItsTurn() async {
        let broadcast = Broadcast<Int>()
        let state = Locked(1)
        let stream = broadcast.stream { state.withLock { $0 } }
        broadcast.send(latest: {
            let read = state.withLock { $0 }
            // Another change while this one is delivered.
            state.withLock { $0 = 2 }
            broadcast.send(latest: { state.withLock { $0 } })
            return read
        })
        broadcast.finish()
        #expect(await Self.values(stream) == [1, 1, 2])
    }

    @Test(.tags(.concurrent)) func everyStreamEndsWithTheLatestValue() async {
        let (changers, changes) = (4, 500)
        for _ in 0..<20 {
            let broadcast = Broadcast<Int>(capacity: 10_000)
            let state = Locked(0)
            let streams = Locked<[AsyncStream<Int>]>([])
            DispatchQueue.concurrentPerform(iterations: changers * 2) { number in
                guard number < changers else {
                    for _ in 0..<25 {
                        let stream = broadcast.stream { state.withLock { $0 } }
                        streams.withLock { $0.append(stream) }
                    }
                    return
                }
                for _ in 0..<changes {
                    state.withLock { $0 += 1 }
                    broadcast.send(latest: { state.withLock { $0 } })
                }
            }
            broadcast.finish()
            for stream in streams.withLock({ $0 }) {
                let values = await Self.values(stream)
                #expect(values.last == changers * changes)
                #expect(zip(values, values.dropFirst()).allSatisfy { $0 <= $1 })
            }
        }
    }

    @Test func anEndedBroadcastGivesTheFirstValue() async {
        let broadcast = Broadcast<Int>()
        broadcast.finish()
        #expect(await Self.values(broadcast.stream { 1 }) == [1])
        #expect(await Self.values(broadcast.stream()).isEmpty)
        #expect(!broadcast.hasStreams)
    }

    @Test func aStreamThatIsGivenUpIsForgotten() async {
        let broadcast = Broadcast<Int>()
        do {
            let stream = broadcast.stream { 1 }
            withExtendedLifetime(stream) { #expect(broadcast.hasStreams) }
        }
        #expect(!broadcast.hasStreams)
    }
}
