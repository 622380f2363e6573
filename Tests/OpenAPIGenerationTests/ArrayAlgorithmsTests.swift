import Testing

@testable import OpenAPIGeneration

/// The algorithms of the module, which replace those of the standard library.
@Suite struct ArrayAlgorithmsTests {
    private let numbers = [3, 1, 2]

    @Test func `Transforming keeps the order`() {
        #expect(numbers.map { "\($0)" } == ["3", "1", "2"])
        #expect(numbers.compactMap { $0 == 1 ? nil : -$0 } == [-3, -2])
        #expect(numbers.flatMap { Array(repeating: $0, count: $0) } == [3, 3, 3, 1, 2, 2])
        #expect(numbers.filter { $0 > 1 } == [3, 2])
        #expect([Int]().map { "\($0)" }.isEmpty)
    }

    @Test func `Searching stops at the first match`() {
        var seen: [Int] = []
        func isOne(_ number: Int) -> Bool {
            seen.append(number)
            return number == 1
        }
        #expect(numbers.first(where: isOne) == 1)
        #expect(numbers.contains(where: isOne))
        #expect(!numbers.allSatisfy { !isOne($0) })
        #expect(seen == [3, 1, 3, 1, 3, 1])
        #expect(numbers.first { $0 > 3 } == nil)
        #expect(!numbers.contains { $0 > 3 })
        #expect(numbers.allSatisfy { $0 < 4 })
    }
}
