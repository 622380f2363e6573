/// A location in one of the files of a run.
struct FileLocation: Hashable {
    let file: Int
    let pointer: JSONPointer

    func appending(_ token: String) -> FileLocation {
        FileLocation(file: file, pointer: pointer.appending(token))
    }

    func appending(_ index: Int) -> FileLocation {
        FileLocation(file: file, pointer: pointer.appending(index))
    }

    func appending(_ step: JSONPath.Step) -> FileLocation {
        FileLocation(file: file, pointer: pointer.appending(step))
    }
}

/// A node with its file and place.
struct LocatedNode {
    let location: FileLocation
    let node: Node
}

extension Node {
    /// The `$ref` of a reference object. A property named `$ref` is excluded: its value is an object.
    var reference: Node? {
        guard let reference = self["$ref"], reference.string != nil else { return nil }
        return reference
    }

    /// The node at the end of a pointer's steps; otherwise the number of existing steps and the last node.
    func descend(_ tokens: [String]) -> (node: Node, steps: Int) {
        var node = self
        for (steps, token) in tokens.enumerated() {
            if let next = node[token] {
                node = next
            } else if let items = node.array, let index = JSONPointer.index(token), index < items.count {
                node = items[index]
            } else {
                return (node, steps)
            }
        }
        return (node, tokens.count)
    }
}
