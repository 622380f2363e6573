/// The components of a document that are referenced, directly or through others.
struct Reachability {
    private let root: Node
    private let inheritance: Inheritance
    /// By section.
    private var reached = [String: Set<ExactText>]()

    init(root: Node) {
        self.root = root
        inheritance = Inheritance(root: root)
    }

    /// The node that a reference within the document resolves to.
    static func node(_ reference: String, in root: Node) -> Node? {
        guard reference.hasPrefix("#/"), let fragment = PercentCoding.decoded(reference.dropFirst(1)) else {
            return nil
        }
        let tokens = JSONPointer.tokens(of: fragment)
        let (node, steps) = root.descend(tokens)
        return steps == tokens.count ? node : nil
    }

    /// Collects everything that is reachable from outside the components.
    mutating func visit(_ document: Node) {
        let role = NodeRole.object(.document)
        for member in document.members where member.key != "components" && visit(member, in: role) {
            walk(member.value, role.member(member.key))
        }
    }

    mutating func visit(component name: String, in section: String) {
        guard reached[section, default: []].insert(name),
            let node = root["components"]?[section]?[name]
        else { return }
        walk(node, KeywordTable.role(of: section, in: .components).member(name))
        // Schemas that extend a schema with a discriminator are its branches.
        for branch in section == "schemas" ? inheritance.branches(of: name) : [] {
            visit(component: branch, in: section)
        }
    }

    private mutating func visitSecurity(_ node: Node) {
        for alternative in node.array ?? [] {
            for scheme in alternative.members { visit(component: scheme.key, in: "securitySchemes") }
        }
    }

    private mutating func walk(_ node: Node, _ role: NodeRole) {
        DocumentWalk(role).members(of: node) { member, role in visit(member, in: role) }
    }

    /// Follows the references of a member. Returns whether its value can have more.
    private mutating func visit(_ member: Node.Object.Member, in role: NodeRole) -> Bool {
        switch member.key {
        case "$ref", "$dynamicRef":
            if let text = member.value.string {
                follow(text)
                return false
            }
        case "mapping" where role.canBe(.discriminator):
            for entry in member.value.members { entry.value.text.map { follow($0) } }
        case "defaultMapping" where role.canBe(.discriminator): member.value.text.map { follow($0) }
        case "security" where role.canBe(.operation) || role == .object(.document):
            visitSecurity(member.value)
        default: break
        }
        return true
    }

    private mutating func follow(_ reference: String) {
        guard reference.hasPrefix("#") else {
            // A discriminator may name a component.
            if root["components"]?["schemas"]?[reference] != nil {
                visit(component: reference, in: "schemas")
            }
            return
        }
        guard let fragment = PercentCoding.decoded(reference.dropFirst()) else { return }
        let tokens = JSONPointer.tokens(of: fragment)
        if tokens.count >= 3, tokens[0] == "components" {
            visit(component: tokens[2], in: tokens[1])
        } else if !fragment.hasPrefix("/") {
            // Any schema can contain an anchor.
            for schema in root["components"]?["schemas"]?.members ?? [] {
                visit(component: schema.key, in: "schemas")
            }
        }
    }

    /// The document without the components that were not reached.
    func pruned(_ document: Node) -> Node {
        guard let components = document["components"] else { return document }
        let sections = components.mapValues { section in
            guard section.value.object != nil, !section.key.hasPrefix("x-") else { return section.value }
            return section.value.filter { reached[section.key]?.contains($0.key) == true }
        }
        return document.setting("components", to: sections)
    }
}
