/// Walks over a document. Only this code determines the roles of an object's members and an array's elements.
///
/// Data is not visited: an example can contain text that looks like a keyword or a reference.
struct DocumentWalk {
    /// The role of the visited node.
    let role: NodeRole

    init(kind: ObjectKind) { role = .object(kind) }
    init(_ role: NodeRole) { self.role = role }

    /// Visits each member of each object.
    ///
    /// - Parameter body: Takes a member and the role of its object; returns whether to enter the value.
    func members(of node: Node, _ body: (Node.Object.Member, NodeRole) -> Bool) {
        guard role != .data else { return }
        switch node.value {
        case .object(let object):
            for member in object.members where body(member, role) && member.value.isCollection {
                DocumentWalk(role.member(member.key)).members(of: member.value, body)
            }
        case .array(let items):
            let element = DocumentWalk(role.element)
            for item in items { element.members(of: item, body) }
        default: break
        }
    }

    /// Visits each object before what it contains.
    ///
    /// - Parameter body: Takes an object, its place and the context; returns the context of what it contains.
    func objects<Context>(
        in node: Node, at place: JSONPointer, _ context: Context,
        _ body: (Node, JSONPointer, Context) -> Context
    ) {
        guard role != .data else { return }
        switch node.value {
        case .object(let object):
            let inner = body(node, place, context)
            for member in object.members where member.value.isCollection {
                DocumentWalk(role.member(member.key))
                    .objects(in: member.value, at: place.appending(member.key), inner, body)
            }
        case .array(let items):
            let element = DocumentWalk(role.element)
            for (offset, item) in items.enumerated() where item.isCollection {
                element.objects(in: item, at: place.appending(offset), context, body)
            }
        default: break
        }
    }

    /// The node with each object and array directly in it replaced, except data.
    @inline(never)
    func map(_ node: Node, _ body: (Node, NodeRole, JSONPath.Step) -> Node) -> Node {
        guard role != .data else { return node }
        switch node.value {
        case .object:
            return node.mapValues { member in
                guard member.value.isCollection else { return member.value }
                let inner = role.member(member.key)
                return inner == .data ? member.value : body(member.value, inner, .key(member.key))
            }
        case .array(let items):
            let inner = role.element
            let result = items.enumerated().map { offset, item in
                item.isCollection ? body(item, inner, .index(offset)) : item
            }
            return Node(value: .array(result), position: node.position)
        default: return node
        }
    }
}
