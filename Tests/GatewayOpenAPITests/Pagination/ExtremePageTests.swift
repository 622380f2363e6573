import GatewayTesting
import Testing

@_spi(Generated) @testable import GatewayOpenAPI

/// Pages, totals and resume tokens hold any numbers.
@Suite struct ExtremePageTests {
    @Test(arguments: ExtremeValues.integers)
    func anyNumbersOfPagesAndItems(start: Int) {
        for first in [0, 1] + ExtremeValues.integers {
            for turn in [PageTurn.offset("o", first: first), .number("p", first: first)] {
                for total in ExtremeValues.integers {
                    var walk = PageWalk(turn, from: String(start))
                    var byPages = walk
                    for _ in 0..<3 {
                        _ = walk.next(after: .init(itemCount: 2, total: total))
                        _ = byPages.next(after: .init(itemCount: 2, pageCount: total))
                    }
                }
            }
        }
        // Where nothing can follow, nothing does.
        var last = PageWalk(.number("p"), from: String(Int.max))
        #expect(last.next(after: .init(itemCount: 1)) == .end)
        var offset = PageWalk(.offset("o"), from: String(Int.max))
        #expect(offset.next(after: .init(itemCount: 1)) == .end)
        var negative = PageWalk(.offset("o", first: 1), from: String(Int.min))
        #expect(negative.next(after: .init(itemCount: 1, total: 5)) == .page(String(Int.min + 1)))
    }
}
