import Testing

@_spi(Generated) @testable import GatewayOpenAPI

@Suite struct PageWalkTests {
    @Test func cursorsThatRepeatStop() {
        var walk = PageWalk(.cursor("c"), from: "a")
        #expect(walk.next(after: .init(itemCount: 1, cursor: "b")) == .page("b"))
        #expect(walk.next(after: .init(itemCount: 0, cursor: "c")) == .page("c"))
        #expect(walk.next(after: .init(itemCount: 1, cursor: "a")) == .repeated)
    }

    @Test(arguments: [nil, ""]) func noCursorIsTheEnd(cursor: String?) {
        var walk = PageWalk(.cursor("c"), from: nil)
        #expect(walk.next(after: .init(itemCount: 1, cursor: cursor, hasMore: true)) == .end)
    }

    @Test func whatThePageSaysOfMoreCounts() {
        for turn in [PageTurn.cursor("c"), .offset("o"), .number("p"), .url] {
            var walk = PageWalk(turn, from: nil)
            #expect(walk.next(after: .init(itemCount: 1, cursor: "b", hasMore: false)) == .end)
        }
    }

    @Test func offsetsCountItems() {
        var walk = PageWalk(.offset("o", first: 1), from: nil)
        #expect(walk.next(after: .init(itemCount: 2, total: 3)) == .page("3"))
        #expect(walk.next(after: .init(itemCount: 1, total: 3)) == .end)
        var open = PageWalk(.offset("o"), from: "7")
        #expect(open.next(after: .init(itemCount: 2)) == .page("9"))
        #expect(open.next(after: .init()) == .end)
    }

    @Test func numbersCountPages() {
        var walk = PageWalk(.number("p", first: 0), from: nil)
        #expect(walk.next(after: .init(itemCount: 2, pageCount: 2)) == .page("1"))
        #expect(walk.next(after: .init(itemCount: 2, pageCount: 2)) == .end)
        var byTotal = PageWalk(.number("p"), from: nil)
        #expect(byTotal.next(after: .init(itemCount: 2, total: 3)) == .page("2"))
        #expect(byTotal.next(after: .init(itemCount: 1, total: 3)) == .end)
        // Begun in the middle nobody knows how many were before.
        var middle = PageWalk(.number("p"), from: "2")
        #expect(middle.next(after: .init(itemCount: 5, total: 3)) == .page("3"))
    }

    /// Without a default in the document, page 1 is taken for the first.
    @Test func aCallerCanStartAtPageZero() {
        var walk = PageWalk(.number("p"), from: "0")
        #expect(walk.next(after: .init(itemCount: 2, pageCount: 2)) == .page("1"))
        #expect(walk.next(after: .init(itemCount: 2, pageCount: 2)) == .end)
    }

    @Test func theLargestNumbersEnd() {
        var offset = PageWalk(.offset("o"), from: String(Int.max))
        #expect(offset.next(after: .init(itemCount: 1)) == .end)
        var number = PageWalk(.number("p"), from: String(Int.max))
        #expect(number.next(after: .init(itemCount: 1)) == .end)
    }
}

@Suite struct LinkHeaderTests {
    @Test(arguments: [
        ("<https://a.test/?p=2>; rel=\"next\"", "https://a.test/?p=2"), ("<b>;rel=next", "b"),
        ("<a>; rel=\"prev\", <b>; rel=\"next\"", "b"), ("<a,b;c>; REL=\"Prev NEXT\"", "a,b;c"),
        ("<a>; title=\"x, <y>; rel=next\"; rel=last, <b> ; rel = next", "b"),
        ("<a>; title=\"\\\"; rel=next\"; rel=next", "a"), ("junk, <b>; rel=next", "b"),
        ("<a>; rel=prev; rel=next", nil), ("<a>; rel=next; anchor=\"#x\"", nil), ("<a>", nil), ("<a", nil),
        ("", nil), ("<a>; rel", nil), ("<a>; rel=\"nex", nil), (";;;,,,<", nil), ("<a>; rel=nextpage", nil),
    ])
    func theNextOneIsFound(value: String, target: String?) {
        #expect(LinkHeader.next(in: value) == target)
    }
}
