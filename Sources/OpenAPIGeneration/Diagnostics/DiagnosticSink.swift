/// Collects the findings of one run, in any order, each once.
final class DiagnosticSink {
    private var seen: Set<Diagnostic> = []
    private(set) var all: [Diagnostic] = []

    func report(_ diagnostic: Diagnostic) {
        if seen.insert(diagnostic).inserted { all.append(diagnostic) }
    }

    /// Whether a finding forbids to generate.
    var hasErrors: Bool { all.contains { $0.severity == .error } }

    /// The findings in document order, so that the order of the passes does not show.
    var sorted: [Diagnostic] {
        let start = SourcePosition(line: 0, column: 0)
        return all.enumerated().sorted { left, right in
            let (first, second) = (left.element.position ?? start, right.element.position ?? start)
            return first == second ? left.offset < right.offset : first < second
        }.map(\.element)
    }
}
