import GatewayCore
import Testing

@testable import GatewayCurl

@Suite struct BufferRecyclerTests {
    private static func address(_ bytes: [UInt8]) -> UnsafeRawPointer? {
        bytes.withUnsafeBytes { $0.baseAddress }
    }

    /// Two buffers take turns as long as the reader lets go of what he was handed before.
    @Test func buffersAreFilledAgain() {
        var machine = DownloadStateMachine<Int>(window: 256 << 10)
        var addresses: [UnsafeRawPointer?] = []
        for round in 0..<20 {
            let piece = [UInt8](repeating: UInt8(round), count: 64 << 10)
            _ = piece.withUnsafeBytes { machine.receive($0) }
            guard case .deliver(.bytes(let bytes), _) = machine.next(1) else {
                Issue.record("nothing is there")
                return
            }
            #expect(bytes == piece)
            addresses.append(Self.address(bytes))
        }
        #if !THREAD_SANITIZER
            #expect(Set(addresses).count == 2)
        #endif
    }

    /// What a reader keeps stays as it was, whatever comes after it.
    @Test func whatIsKeptIsNotTouched() {
        var machine = DownloadStateMachine<Int>(window: 256 << 10)
        var kept: [[UInt8]] = []
        for round in 0..<20 {
            for _ in 0..<3 {
                _ = [UInt8](repeating: UInt8(round), count: 20_000).withUnsafeBytes { machine.receive($0) }
            }
            guard case .deliver(.bytes(let bytes), _) = machine.next(1) else {
                Issue.record("nothing is there")
                return
            }
            if round % 3 != 2 { kept.append(bytes) }
        }
        for (index, bytes) in kept.enumerated() {
            let round = UInt8(index / 2 * 3 + index % 2)
            #expect(bytes.count == 60_000 && bytes.allSatisfy { $0 == round })
        }
    }

    /// Small pieces, and those of a body that is over, leave nothing behind.
    @Test func nothingIsKeptForNothing() {
        var recycler = BufferRecycler()
        recycler.handsOut([UInt8](repeating: 1, count: BufferRecycler.smallestBytes - 1))
        recycler.handsOut([UInt8](repeating: 1, count: BufferRecycler.smallestBytes - 1))
        #expect(recycler.next(room: 0).capacity == 0)
        for _ in 0..<2 { recycler.handsOut([UInt8](repeating: 1, count: BufferRecycler.smallestBytes)) }
        recycler.clear()
        #expect(recycler.next(room: 0).capacity == 0)
    }
}
