/// Infers the pagination of an operation from the usual conventions, or takes it from the configuration.
///
/// In this order: a cursor in the page; the ID of the last item with `has_more`; a URL in the page, also under the name
/// of a cursor; a `Link` header; an offset; a page number.
struct PaginationPlanner {
    @Indirect var operation: Operation
    @Indirect var success: OperationPlan.Success
    let fields: PageFields
    let interner: TypeInterner
    let override: PaginationOverride?
    let sink: DiagnosticSink

    /// The plan, without a method's name; nil where there are no pages.
    func plan() -> OperationPlan.Page? {
        // Methods other than GET are paginated only if the configuration says so.
        guard operation.method == "GET" || wanted != nil, case .value(let type, .json) = success.preferred,
            override != .off,
            let schema = operation.responses.first(where: { $0.status.isSuccess })?.content?.schema
        else { return nil }
        guard let page = plan(schema, type) else {
            if override != nil {
                sink.warn(
                    .configuration, "\"pagination\" in the configuration does not fit this operation",
                    at: operation.position)
            }
            return nil
        }
        return page
    }

    private func plan(_ schema: Schema, _ type: SwiftType) -> OperationPlan.Page? {
        guard !schema.isNullable else { return nil }
        if case .array(let item) = schema.shape {
            guard let turn = linkTurn ?? countingTurn else { return nil }
            let name = fields.types.full(item)
            return OperationPlan.Page(
                type: .generic("ArrayPage", [name]), identity: nil, members: [], turn: turn,
                declaresConformance: false)
        }
        guard case .declared(let pointer) = schema.shape,
            let items = fields.items(of: pointer, wanted: wanted?.items)
        else { return nil }
        var members: Members = []
        guard let turn = turn(pointer, items, &members) else { return nil }
        return OperationPlan.Page(
            type: type, identity: interner.canonical(pointer),
            members: [("_pageItems", .array(items.itemType), items.list)] + members,
            turn: turn, declaresConformance: true)
    }

    private var wanted: PaginationOverride.Pages? {
        guard case .pages(let pages)? = override else { return nil }
        return pages
    }

    private typealias Members = [(name: String, type: SwiftType, value: PageFields.Value)]

    private func turn(_ page: JSONPointer, _ items: PageFields.Items, _ members: inout Members) -> PageTurn? {
        func add(_ name: String, _ type: SwiftType, _ value: PageFields.Value?) {
            if let value { members.append((name, .optional(type), value)) }
        }
        let hasMore = fields.find(PageNames.hasMore, in: page, as: .flag)
        let kind = wanted?.kind
        if kind == nil || kind == .cursor, let parameter = cursorParameter {
            let form: PageFields.Kind = parameter.isNumber ? .number : kind == .cursor ? .text : .cursor
            if let next = fields.next(wanted?.next, PageNames.cursors, in: page, as: form) {
                add("_pageCursor", "String", next)
                add("_pageHasMore", "Bool", hasMore)
                return .parameter(.cursor, parameter)
            }
            if wanted?.next == nil, let hasMore, let last = lastID(parameter.name, page, items) {
                add("_pageCursor", "String", last)
                add("_pageHasMore", "Bool", hasMore)
                return .parameter(.cursor, parameter)
            }
        }
        if kind == .url || (kind == nil && wanted?.parameter == nil),
            let url = fields.next(wanted?.next, PageNames.urls, in: page) ?? urlForCursor(page)
        {
            add("_pageCursor", "String", url)
            add("_pageHasMore", "Bool", hasMore)
            return .url
        }
        guard wanted?.next == nil else { return nil }
        if let linkTurn { return linkTurn }
        guard let turn = countingTurn else { return nil }
        add("_pageHasMore", "Bool", hasMore)
        add("_pageTotal", "Int", fields.find(PageNames.totals, in: page, as: .integer))
        if case .parameter(.number, _) = turn {
            add("_pageCount", "Int", fields.find(PageNames.counts, in: page, as: .integer))
        }
        return turn
    }

    /// The URL that a page has under the name of a cursor. It is requested as it is, not sent as the cursor.
    private func urlForCursor(_ page: JSONPointer) -> PageFields.Value? {
        guard wanted == nil, cursorParameter != nil else { return nil }
        return fields.find(PageNames.cursors, in: page, as: .text).flatMap { $0.isURL ? $0 : nil }
    }

    /// The ID of the last item, from the page or the item, for parameters such as `after`.
    private func lastID(
        _ parameter: String, _ page: JSONPointer, _ items: PageFields.Items
    ) -> PageFields.Value? {
        guard ["after", "startingafter", "afterid"].contains(PageNames.joined(parameter)) else { return nil }
        return fields.find(["lastid"], in: page, as: .cursor) ?? items.lastID
    }

    private func parameter(_ type: SwiftType, _ names: Set<String>) -> PageTurn.Parameter? {
        let found = operation.parameters.first { parameter in
            guard parameter.location == .query, parameter.mediaType == nil,
                fields.types.plain(parameter.schema) == type
            else { return false }
            if let wanted = wanted?.parameter { return parameter.name.isSame(as: wanted) }
            return !parameter.isRequired && names.contains(PageNames.joined(parameter.name))
        }
        if let found {
            return PageTurn.Parameter(name: found.name, isNumber: type == "Int", first: Self.first(found))
        }
        // Body properties are used only if they are configured.
        guard let wanted = wanted?.parameter, let content = operation.body?.content, content.kind == .json,
            case .declared(let pointer) = content.schema.shape,
            fields.parameter(at: wanted, in: pointer) == type
        else { return nil }
        return PageTurn.Parameter(name: wanted, isNumber: type == "Int", isInBody: true)
    }

    private var cursorParameter: PageTurn.Parameter? {
        var turner =
            parameter("String", PageNames.parameters)
            ?? parameter("Int", PageNames.parameters.subtracting(["page"]))
        turner?.first = nil
        return turner
    }

    private var linkTurn: PageTurn? {
        if let kind = wanted?.kind { return kind == .link ? .link : nil }
        let isDocumented = operation.responses.contains { response in
            response.status.isSuccess && response.headers.contains { $0.name.lowercased() == "link" }
        }
        return isDocumented && override == nil ? .link : nil
    }

    private var countingTurn: PageTurn? {
        let kind = wanted?.kind
        if kind == nil || kind == .offset, let offset = parameter("Int", PageNames.offsets),
            kind == .offset || wanted?.parameter == nil
                || PageNames.offsets.contains(PageNames.joined(offset.name))
        {
            var offset = offset
            if offset.first == nil, PageNames.joined(offset.name) == "startindex" { offset.first = 1 }
            return .parameter(.offset, offset)
        }
        guard kind == nil || kind == .page, let page = parameter("Int", PageNames.pages) else { return nil }
        return .parameter(.number, page)
    }

    /// The value for the first page: the default, otherwise the minimum.
    private static func first(_ parameter: Parameter) -> Int? {
        var texts: [String] = []
        if case .number(let text)? = parameter.schema.annotations.defaultValue?.value { texts.append(text) }
        if let minimum = parameter.schema.annotations.minimum { texts.append(minimum) }
        return texts.first.flatMap { Int($0) }.flatMap { (0...1).contains($0) ? $0 : nil }
    }
}
