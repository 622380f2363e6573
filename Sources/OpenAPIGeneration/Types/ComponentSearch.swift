/// Tarjan's algorithm for strongly connected components, with an explicit stack instead of recursion.
struct ComponentSearch {
    let graph: TypeGraph
    private var index = [JSONPointer: Int]()
    private var low = [JSONPointer: Int]()
    private var onStack = Set<JSONPointer>()
    private var stack: [JSONPointer] = []
    private var result = [JSONPointer: Int]()
    private var count = 0

    init(graph: TypeGraph) { self.graph = graph }

    /// The component of each recursive type. Other types are not included.
    mutating func run() -> [JSONPointer: Int] {
        for pointer in graph.declarations.keys.sorted() where index[pointer] == nil { search(from: pointer) }
        return result
    }

    private mutating func search(from root: JSONPointer) {
        var frames: [(pointer: JSONPointer, targets: [JSONPointer], next: Int)] = []
        enter(root)
        frames.append((root, targets(of: root), 0))
        while var frame = frames.popLast() {
            if frame.next < frame.targets.count {
                let target = frame.targets[frame.next]
                frame.next += 1
                frames.append(frame)
                if index[target] == nil {
                    enter(target)
                    frames.append((target, targets(of: target), 0))
                } else if onStack.contains(target) {
                    low[frame.pointer] = min(low[frame.pointer] ?? 0, index[target] ?? 0)
                }
                continue
            }
            if low[frame.pointer] == index[frame.pointer] { pop(frame.pointer, frame.targets) }
            if let parent = frames.last?.pointer {
                low[parent] = min(low[parent] ?? 0, low[frame.pointer] ?? 0)
            }
        }
    }

    private mutating func enter(_ pointer: JSONPointer) {
        index[pointer] = count
        low[pointer] = count
        count += 1
        stack.append(pointer)
        onStack.insert(pointer)
    }

    private mutating func pop(_ pointer: JSONPointer, _ targets: [JSONPointer]) {
        var members: [JSONPointer] = []
        while let last = stack.popLast() {
            onStack.remove(last)
            members.append(last)
            if last == pointer { break }
        }
        guard members.count > 1 || targets.contains(pointer) else { return }
        for member in members { result[member] = index[pointer] }
    }

    private func targets(of pointer: JSONPointer) -> [JSONPointer] {
        graph.parts(of: pointer).compactMap(\.shape.target)
    }
}
