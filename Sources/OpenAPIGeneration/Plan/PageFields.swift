/// Finds pagination fields in the properties of a page type, and the expressions to read them.
struct PageFields {
    let types: SchemaTypes
    let members: MemberPlans

    /// A direct or nested member of a page.
    struct Value {
        var expression: Expression
        var isOptional = false
        /// The properties that it reads.
        var members: [MemberUse] = []
        /// Whether the type, the name or the enclosing object indicates a URL.
        var isURL = false
    }

    struct Items {
        let itemType: SwiftType
        /// All items.
        let list: Value
        /// The last item's `id`. Nil if items have no `id`.
        let lastID: Value?
    }

    /// The array of items of a page, also inside a wrapper. Nil if there is none or it is ambiguous.
    func items(of page: JSONPointer, wanted: String?) -> Items? {
        if let wanted { return walk(wanted, in: page).flatMap { items($0.member, $0.step) } }
        if let own = array(in: page, after: Self.page) { return own }
        for member in members.members(of: page)
        where PageNames.wrappers.contains(PageNames.joined(member.key)) {
            guard let inner = object(member) else { continue }
            if let own = array(in: inner, after: step(Self.page, member, of: page)) { return own }
        }
        return nil
    }

    /// The reference to the next page: at the configured path, where it may also be a URL, or under one of the usual
    /// names.
    func next(_ wanted: String?, _ names: [String], in page: JSONPointer, as kind: Kind = .text) -> Value? {
        guard let wanted else { return find(names, in: page, as: kind) }
        return walk(wanted, in: page).flatMap {
            value($0.member, $0.step, as: kind == .cursor ? .text : kind)
        }
    }

    /// The type of the body property at a path, if it is a valid type for a page parameter.
    func parameter(at path: String, in body: JSONPointer) -> SwiftType? {
        walk(path, in: body).flatMap { found in
            let type = types.plain(found.member.schema)
            return ["String", "Int"].contains(type) ? type : nil
        }
    }

    /// The required kind of a page's property.
    enum Kind {
        /// Text or a URL.
        case text
        /// Text that is not a URL.
        case cursor
        /// An integer that is written as a cursor.
        case number
        case integer, flag
    }

    /// The first property with one of these names and this kind; properties of the page before those of nested
    /// metadata. `next: { href: … }` counts as its `href`.
    func find(_ names: [String], in page: JSONPointer, as kind: Kind) -> Value? {
        find(names, in: page, as: kind, after: Self.page, depth: 0)
    }

    private func find(
        _ names: [String], in page: JSONPointer, as kind: Kind, after prefix: Value, depth: Int
    ) -> Value? {
        let all = members.members(of: page)
        for name in names {
            for member in all where PageNames.joined(member.key) == name {
                var step = step(prefix, member, of: page)
                // A cursor may be among links, too.
                step.isURL = step.isURL && PageNames.urls.contains(name)
                if let found = value(member, step, as: kind) { return found }
                guard kind == .text, name == "next", let inner = object(member) else { continue }
                for link in members.members(of: inner) where link.key == "href" || link.key == "url" {
                    if var found = value(link, self.step(step, link, of: inner), as: kind) {
                        found.isURL = true
                        return found
                    }
                }
            }
        }
        guard depth < 2 else { return nil }
        for member in all where PageNames.holders.contains(PageNames.joined(member.key)) {
            guard let inner = object(member), inner != page else { continue }
            var step = step(prefix, member, of: page)
            step.isURL = step.isURL || PageNames.joined(member.key) == "links"
            if let found = find(names, in: inner, as: kind, after: step, depth: depth + 1) { return found }
        }
        return nil
    }

    // MARK: Steps

    private static var page: Value { Value(expression: "self") }

    private func step(_ prefix: Value, _ member: MemberPlan, of type: JSONPointer) -> Value {
        var result = prefix
        result.expression = .member(
            prefix.expression, SwiftName.escaped(member.name), isOptional: prefix.isOptional)
        if member.optionality == .field { result.expression = .member(result.expression, "orNil") }
        result.isOptional = prefix.isOptional || member.optionality != .required
        result.members.append(MemberUse(type: type, key: member.key))
        return result
    }

    private func value(_ member: MemberPlan, _ step: Value, as kind: Kind) -> Value? {
        var result = step
        switch (kind, types.plain(member.schema)) {
        case (.integer, "Int"), (.flag, "Bool"): return result
        case (.number, "Int"): break
        case (.text, "String"): return result
        case (.cursor, "String"): return step.isURL ? nil : result
        case (.text, "URI"), (.text, "URL"): result.isURL = true
        default: return nil
        }
        result.expression = .member(step.expression, "pageCursor", isOptional: step.isOptional)
        return result
    }

    private func object(_ member: MemberPlan) -> JSONPointer? {
        member.schema.shape.target.flatMap { members.members(of: $0).isEmpty ? nil : $0 }
    }

    private func array(in page: JSONPointer, after prefix: Value) -> Items? {
        let arrays = members.members(of: page).filter(\.isArray)
        var chosen = arrays.count == 1 ? arrays.first : nil
        for name in PageNames.items where chosen == nil {
            chosen = arrays.first { PageNames.joined($0.key) == name }
        }
        return chosen.flatMap { items($0, step(prefix, $0, of: page)) }
    }

    private func items(_ member: MemberPlan, _ step: Value) -> Items? {
        guard let item = member.schema.shape.items else { return nil }
        var lastID: Value?
        if !item.isNullable, let pointer = item.shape.target {
            let id = members.members(of: pointer).first { $0.key == "id" && $0.optionality == .required }
            if let id, types.plain(id.schema) == "String" {
                var last = step
                last.expression = .member(
                    .member(step.expression, "last", isOptional: step.isOptional),
                    SwiftName.escaped(id.name), isOptional: true)
                last.members.append(MemberUse(type: pointer, key: id.key))
                lastID = last
            }
        }
        var list = step
        if step.isOptional { list.expression = .suffixed(list.expression, " ?? []") }
        return Items(itemType: types.full(item), list: list, lastID: lastID)
    }

    private func walk(_ path: String, in page: JSONPointer) -> (member: MemberPlan, step: Value)? {
        var place = page
        var step = Self.page
        let path = path.split(separator: ".")
        for (offset, key) in path.enumerated() {
            guard let member = members.members(of: place).first(where: { $0.key.isSame(as: String(key)) })
            else { return nil }
            step = self.step(step, member, of: place)
            if offset == path.count - 1 { return (member, step) }
            guard let next = object(member) else { return nil }
            place = next
        }
        return nil
    }
}
