/// Unions that are a branch of themselves, directly or as a branch of a branch. Such a branch adds no values, and decoding
/// it would not end: the union has the branches of its branches instead.
struct CircularUnions {
    private(set) var declarations: [JSONPointer: Declaration]

    init(_ declarations: [JSONPointer: Declaration], sink: DiagnosticSink) {
        self.declarations = declarations
        // A union with a discriminator stays as it is, unless all unions of a circle have one.
        for isLast in [false, true] {
            let known = self.declarations
            let circles = Self.circles(known)
            for (pointer, circle) in circles.sorted(by: { $0.key < $1.key }) {
                guard let declaration = known[pointer], var union = declaration.union,
                    isLast || union.discriminator == nil
                else { continue }
                union.branches = Self.branches(of: pointer, circle, circles, known)
                union.discriminator = nil
                self.declarations[pointer]?.kind = union.branches.isEmpty ? .opaque : .union(union)
                sink.warn(
                    .circularReference, "the schema is a branch of itself; this branch is ignored",
                    at: declaration.position)
            }
        }
    }

    /// The circle of each union that is in one.
    private static func circles(_ declarations: [JSONPointer: Declaration]) -> [JSONPointer: Int] {
        let unions = declarations.filter { $0.value.union != nil }
        var search = ComponentSearch(graph: TypeGraph(declarations: unions))
        return search.run()
    }

    /// The branches of a union and of the unions in its circle, in their order.
    private static func branches(
        of pointer: JSONPointer, _ circle: Int, _ circles: [JSONPointer: Int],
        _ declarations: [JSONPointer: Declaration]
    ) -> [UnionDeclaration.Branch] {
        func own(_ pointer: JSONPointer) -> [UnionDeclaration.Branch] {
            (declarations[pointer]?.union?.branches ?? []).reversed()
        }
        var result: [UnionDeclaration.Branch] = []
        var seen: Set<JSONPointer> = [pointer]
        var waiting = own(pointer)
        while let branch = waiting.popLast() {
            guard let target = branch.schema.shape.target else {
                result.append(branch)
                continue
            }
            guard seen.insert(target).inserted else { continue }
            if circles[target] == circle { waiting += own(target) } else { result.append(branch) }
        }
        return result
    }
}
