/// The known name that was perhaps meant by one that is not known.
package enum NearestName {
    /// The nearest of some names, by Levenshtein's distance; `nil` where none is near enough.
    package static func find(_ name: String, among known: [String], within limit: Int) -> String? {
        let nearest = known.map { (name: $0, distance: distance(name, $0)) }.min { $0.distance < $1.distance }
        guard let nearest, nearest.distance <= limit else { return nil }
        return nearest.name
    }

    private static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first.utf8), Array(second.utf8))
        var row = Array(0...second.count)
        for (index, byte) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (other, candidate) in second.enumerated() {
                let above = row[other + 1]
                row[other + 1] = min(above + 1, row[other] + 1, diagonal + (byte == candidate ? 0 : 1))
                diagonal = above
            }
        }
        return row[second.count]
    }
}
