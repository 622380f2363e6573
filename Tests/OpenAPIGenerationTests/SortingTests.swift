import Testing

@testable import OpenAPIGeneration

/// The sort of the module, which replaces the one of the standard library.
@Suite struct SortingTests {
    private struct Item: Equatable {
        let key: Int
        let offset: Int
    }

    @Test(arguments: [0, 1, 2, 3, 31, 32, 33, 100, 1000])
    func `Elements are in order, and equal ones keep their places`(count: Int) {
        var state: UInt64 = 42
        let items = (0..<count).map { offset in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Item(key: Int(state >> 60), offset: offset)
        }
        let expected = (0..<16).flatMap { key in items.filter { $0.key == key } }
        let sorted = items.sorted { $0.key < $1.key }
        #expect(sorted == expected)

        var inPlace = items
        inPlace.sort { $0.key < $1.key }
        #expect(inPlace == expected)
    }

    @Test func `Comparable elements are in ascending order`() {
        #expect(["b", "a", "c", "a"].sorted() == ["a", "a", "b", "c"])
        #expect(Set([3, 1, 2]).sorted() == [1, 2, 3])
    }
}
