// Sorting in this module, used instead of the standard library's methods. Why: those are specialized for each element
// type. With more than 50 types, this took a tenth of the time of a release build.

extension Sequence {
    /// The elements in order. The sort is stable.
    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    func sorted(by precedes: (Element, Element) -> Bool) -> [Element] {
        let elements = Array(self)
        return withoutActuallyEscaping(precedes) { precedes in
            IndexOrder { precedes(elements[$0], elements[$1]) }.indices(count: elements.count)
        }.map { elements[$0] }
    }
}

extension Sequence where Element: Comparable {
    /// The elements in ascending order.
    func sorted() -> [Element] { sorted { $0 < $1 } }
}

extension Array {
    /// Sorts the elements. The sort is stable.
    mutating func sort(by precedes: (Element, Element) -> Bool) { self = sorted(by: precedes) }
}

/// The order of elements, as indices. The code is shared by all element types.
private final class IndexOrder {
    private let precedes: (Int, Int) -> Bool

    init(precedes: @escaping (Int, Int) -> Bool) {
        self.precedes = precedes
    }

    /// The indices below `count`, in the order of the elements.
    @inline(never)
    func indices(count: Int) -> ContiguousArray<Int> {
        var indices = ContiguousArray(0..<count)
        indices.sort { precedes($0, $1) }
        return indices
    }
}
