/// A place in one of the files of a run.
struct FileLocation: Hashable {
    let file: Int
    let pointer: JSONPointer

    func appending(_ token: String) -> FileLocation {
        FileLocation(file: file, pointer: pointer.appending(token))
    }

    func appending(_ index: Int) -> FileLocation {
        FileLocation(file: file, pointer: pointer.appending(index))
    }
}

/// A node and the file and place where it stands.
struct LocatedNode {
    let location: FileLocation
    let node: Node
}

extension Node {
    /// The reference that an object is; a property named `$ref` has an object as its value.
    var reference: Node? {
        guard let reference = self["$ref"], reference.string != nil else { return nil }
        return reference
    }

    /// The node at the end of a pointer's steps, or how many of them exist and the last node on the way.
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
