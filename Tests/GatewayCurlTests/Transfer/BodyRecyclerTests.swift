import Testing

@testable import GatewayCurl

#if !THREAD_SANITIZER
    @Suite struct BodyRecyclerTests {
        private func address(_ bytes: [UInt8]) -> UInt {
            bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        }

        @Test func memoryIsFilledAgainOnceItsCallerHasLetGo() {
            var recycler = BodyRecycler()
            var body: [UInt8]? = [UInt8](repeating: 7, count: 1 << 20)
            let place = address(body ?? [])
            recycler.handsOut(body ?? [], now: 0)
            body = nil
            var next = recycler.next(room: 1 << 20, now: 1)
            next.append(1)
            #expect(address(next) == place)
            #expect(next == [1])
        }

        @Test func whatACallerHoldsIsNotTouched() {
            var recycler = BodyRecycler()
            let body = [UInt8](repeating: 7, count: 1 << 20)
            recycler.handsOut(body, now: 0)
            var next = recycler.next(room: 1 << 20, now: 1)
            next.append(1)
            #expect(address(next) != address(body))
            #expect(body.allSatisfy { $0 == 7 } && body.count == 1 << 20)
        }

        @Test(arguments: [
            (1 << 20, 100 << 10), (100 << 10, 1 << 20), (32 << 10, 32 << 10), (8 << 20, 8 << 20),
        ])
        func othersSizesGetMemoryOfTheirOwn(kept: Int, room: Int) {
            var recycler = BodyRecycler()
            recycler.handsOut([UInt8](repeating: 7, count: kept), now: 0)
            let next = recycler.next(room: room, now: 1)
            #expect(next.isEmpty && next.capacity >= room && next.capacity <= 2 * room + 64)
        }

        @Test func whatIsKeptIsBoundedAndLetGoOf() {
            var recycler = BodyRecycler()
            let bodies = (0..<100).map { [UInt8](repeating: UInt8($0), count: 1 << 20) }
            let places = Set(bodies.map(address))
            for body in bodies { recycler.handsOut(body, now: 0) }
            #expect(places.count == 100)
            #expect(recycler.expiry == 1_000_000_000)
            recycler.expire(at: 999_999_999)
            #expect(recycler.expiry != nil)
            recycler.expire(at: 1_000_000_000)
            #expect(recycler.expiry == nil)
        }
    }
#endif
