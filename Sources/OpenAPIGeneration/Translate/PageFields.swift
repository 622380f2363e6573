/// Finds pagination fields in the properties of a page type, and the expressions to read them.
struct PageFields {
    let types: TypeText
    let members: MemberPlans

    struct Field {
        /// The expression of the value, which is optional.
        let value: String
    }

    struct Items {
        let itemType: String
        /// The expression of all items.
        let list: String
        /// The expression of the last item's `id`. Nil if items have no `id`.
        let lastID: String?
    }

    /// The array of items of a page, also inside a wrapper. Nil if there is none or it is ambiguous.
    func items(of page: JSONPointer, wanted: String?) -> Items? {
        if let wanted { return self.items(at: wanted.split(separator: ".").map { String($0) }, in: page) }
        if let own = array(in: page, after: "self", isOptional: false) { return own }
        for member in members.members(of: page)
        where PageNames.wrappers.contains(PageNames.joined(member.key)) {
            guard let inner = object(member) else { continue }
            let step = step("self", member, isOptional: false)
            if let own = array(in: inner, after: step.text, isOptional: step.isOptional) { return own }
        }
        return nil
    }

    /// The reference to the next page: at the configured path, or under one of the usual names.
    func next(_ wanted: String?, _ names: [String], in page: JSONPointer) -> String? {
        guard let wanted else { return find(names, in: page, as: "String")?.value }
        return field(at: wanted.split(separator: ".").map { String($0) }, in: page, as: "String")
    }

    /// The same for a number.
    func nextNumber(_ wanted: String?, _ names: [String], in page: JSONPointer) -> String? {
        wanted.map { field(at: $0.split(separator: ".").map { String($0) }, in: page, as: "cursor") }
            ?? find(names, in: page, as: "cursor")?.value
    }

    /// The type of the body property at a path, if it is a valid type for a page parameter.
    func parameter(at path: String, in body: JSONPointer) -> String? {
        walk(path.split(separator: ".").map { String($0) }, in: body).flatMap { found in
            let type = types.plain(found.member.schema)
            return ["String", "Int"].contains(type) ? type : nil
        }
    }

    /// The first property with one of these names and this type; properties of the page before those of nested
    /// metadata. URL properties count as strings, and `next: { href: … }` as its `href`.
    func find(_ names: [String], in page: JSONPointer, as type: String) -> Field? {
        find(names, in: page, as: type, after: "self", isOptional: false, depth: 0)
    }

    private func find(
        _ names: [String], in page: JSONPointer, as type: String, after prefix: String, isOptional: Bool,
        depth: Int
    ) -> Field? {
        let all = members.members(of: page)
        for name in names {
            for member in all where PageNames.joined(member.key) == name {
                let step = step(prefix, member, isOptional: isOptional)
                if let text = value(member, step, as: type) { return Field(value: text) }
                guard type == "String", name == "next", let inner = object(member) else { continue }
                for link in members.members(of: inner) where link.key == "href" || link.key == "url" {
                    let last = self.step(step.text, link, isOptional: step.isOptional)
                    if let text = value(link, last, as: type) { return Field(value: text) }
                }
            }
        }
        guard depth < 2 else { return nil }
        for member in all where PageNames.holders.contains(PageNames.joined(member.key)) {
            guard let inner = object(member), inner != page else { continue }
            let step = step(prefix, member, isOptional: isOptional)
            if let found = find(
                names, in: inner, as: type, after: step.text, isOptional: step.isOptional, depth: depth + 1)
            {
                return found
            }
        }
        return nil
    }

    // MARK: Steps

    private typealias Step = (text: String, isOptional: Bool)

    private func step(_ prefix: String, _ member: MemberPlan, isOptional: Bool) -> Step {
        var text = prefix + (isOptional ? "?." : ".") + SwiftName.escaped(member.name)
        if member.optionality == .field { text += ".orNil" }
        return (text, isOptional || member.optionality != .required)
    }

    private func value(_ member: MemberPlan, _ step: Step, as type: String) -> String? {
        let plain = types.plain(member.schema)
        if plain == type { return step.text }
        if type == "cursor", plain == "Int" {
            return step.text + (step.isOptional ? "?" : "") + ".pageCursor"
        }
        guard type == "String", plain == "URL" else { return nil }
        return step.text + (step.isOptional ? "?" : "") + ".pageCursor"
    }

    private func object(_ member: MemberPlan) -> JSONPointer? {
        guard case .declared(let pointer) = member.schema.shape, !members.members(of: pointer).isEmpty else {
            return nil
        }
        return pointer
    }

    private func array(in page: JSONPointer, after prefix: String, isOptional: Bool) -> Items? {
        let arrays = members.members(of: page).filter(\.isArray)
        var chosen = arrays.count == 1 ? arrays.first : nil
        for name in PageNames.items where chosen == nil {
            chosen = arrays.first { PageNames.joined($0.key) == name }
        }
        return chosen.flatMap { items($0, step(prefix, $0, isOptional: isOptional)) }
    }

    private func items(_ member: MemberPlan, _ step: Step) -> Items? {
        guard case .array(let item) = member.schema.shape else { return nil }
        var lastID: String?
        if !item.isNullable, case .declared(let pointer) = item.shape {
            let id = members.members(of: pointer).first { $0.key == "id" && $0.optionality == .required }
            if let id, types.plain(id.schema) == "String" {
                lastID = step.text + (step.isOptional ? "?" : "") + ".last?." + SwiftName.escaped(id.name)
            }
        }
        return Items(
            itemType: types.full(item), list: step.text + (step.isOptional ? " ?? []" : ""), lastID: lastID)
    }

    private func items(at path: [String], in page: JSONPointer) -> Items? {
        walk(path, in: page).flatMap { items($0.member, $0.step) }
    }

    private func field(at path: [String], in page: JSONPointer, as type: String) -> String? {
        walk(path, in: page).flatMap { value($0.member, $0.step, as: type) }
    }

    private func walk(_ path: [String], in page: JSONPointer) -> (member: MemberPlan, step: Step)? {
        var place = page
        var step: Step = ("self", false)
        for (offset, key) in path.enumerated() {
            guard let member = members.members(of: place).first(where: { $0.key == key }) else { return nil }
            step = self.step(step.text, member, isOptional: step.isOptional)
            if offset == path.count - 1 { return (member, step) }
            guard let next = object(member) else { return nil }
            place = next
        }
        return nil
    }
}
