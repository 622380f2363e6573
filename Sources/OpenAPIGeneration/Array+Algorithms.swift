// Algorithms on arrays in this module. They replace those of the standard library in closures that do not throw.
//
// Why: the standard library's algorithms are inlined and specialized for each use. With several hundred uses, this took
// a fifth of the compiler's work in a release build, and every package that uses the plugin builds the tool. The
// algorithms here are compiled once for all element types; the run time is a tenth longer.

extension Array {
    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    func map<T>(_ transform: (Element) -> T) -> [T] {
        var result: [T] = []
        result.reserveCapacity(count)
        for element in self { result.append(transform(element)) }
        return result
    }

    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    func compactMap<T>(_ transform: (Element) -> T?) -> [T] {
        var result: [T] = []
        for element in self {
            if let value = transform(element) { result.append(value) }
        }
        return result
    }

    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    func flatMap<T>(_ transform: (Element) -> [T]) -> [T] {
        var result: [T] = []
        for element in self { result += transform(element) }
        return result
    }

    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    func filter(_ isIncluded: (Element) -> Bool) -> [Element] {
        var result: [Element] = []
        for element in self where isIncluded(element) { result.append(element) }
        return result
    }

    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    func contains(where predicate: (Element) -> Bool) -> Bool {
        for element in self where predicate(element) { return true }
        return false
    }

    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    func first(where predicate: (Element) -> Bool) -> Element? {
        for element in self where predicate(element) { return element }
        return nil
    }

    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    func allSatisfy(_ predicate: (Element) -> Bool) -> Bool {
        for element in self where !predicate(element) { return false }
        return true
    }
}
