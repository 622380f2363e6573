/// Collects the diagnostics of one run without duplicates.
final class DiagnosticSink {
    private var seen = Set<Diagnostic>()
    private(set) var all: [Diagnostic] = []
    /// The places in schemas whose shape is not generated.
    private var covered = Set<SourcePosition>()

    /// Ends reports that the shape of a schema falls back to another one.
    func cover(_ position: SourcePosition) { covered.insert(position) }

    @inline(never)
    func report(_ diagnostic: Diagnostic) {
        if seen.insert(diagnostic).inserted { all.append(diagnostic) }
    }

    /// Reports that part of the document is not in the generated code.
    @inline(never)
    func warn(
        _ rule: Diagnostic.Rule, _ message: String, at position: SourcePosition?,
        notes: [Diagnostic.Note] = []
    ) {
        if !covered.isEmpty, let position, covered.contains(position), Self.shapes.contains(rule) { return }
        report(.warning(rule, message, at: position, notes: notes))
    }

    private static let shapes: [Diagnostic.Rule] = [.unsupportedSchema, .ambiguousUnion, .conflictingSchema]

    /// Reports that nothing is generated.
    @inline(never)
    func fail(
        _ rule: Diagnostic.Rule, _ message: String, at position: SourcePosition?,
        notes: [Diagnostic.Note] = []
    ) {
        report(.error(rule, message, at: position, notes: notes))
    }

    /// Whether any diagnostic is an error.
    var hasErrors: Bool { all.contains { $0.severity == .error } }

    /// The diagnostics in document order, independent of the order of the passes.
    var sorted: [Diagnostic] {
        let start = SourcePosition(line: 0, column: 0)
        return all.enumerated().sorted { left, right in
            let (first, second) = (left.element.position ?? start, right.element.position ?? start)
            return first == second ? left.offset < right.offset : first < second
        }.map(\.element)
    }
}
