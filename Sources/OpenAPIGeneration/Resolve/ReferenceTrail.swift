/// The references that led to each place of another file, for notes in diagnostics.
struct ReferenceTrail {
    /// By file: the position of each target, and the first reference to it.
    private var entries = [UInt32: [(start: SourcePosition, reference: SourcePosition)]]()
    private var known = Set<SourcePosition>()

    mutating func note(_ target: Node, by reference: SourcePosition) {
        guard target.position.file != 0, known.insert(target.position).inserted else { return }
        entries[target.position.file, default: []].append((target.position, reference))
    }

    /// The diagnostic with notes for the chain of references from the document to its position.
    func explained(_ diagnostic: Diagnostic) -> Diagnostic {
        guard var position = diagnostic.position else { return diagnostic }
        var result = diagnostic
        var passed = Set<SourcePosition>()
        while position.file != 0, let reference = reference(to: position), passed.insert(reference).inserted {
            result.notes.append(.init(message: "referenced from here", position: reference))
            position = reference
        }
        return result
    }

    /// The reference to the nearest place before `position`.
    private func reference(to position: SourcePosition) -> SourcePosition? {
        var nearest: (start: SourcePosition, reference: SourcePosition)?
        for entry in entries[position.file] ?? [] where entry.start <= position {
            if let known = nearest, known.start >= entry.start { continue }
            nearest = entry
        }
        return nearest?.reference ?? entries[position.file]?.first?.reference
    }
}
