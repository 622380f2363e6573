/// The servers of the document and their variables.
extension DocumentDiff {
    func compareServers() {
        let (before, after) = (old.servers.plans, new.servers.plans)
        let root = JSONPointer(tokens: ["servers"])
        func place(_ offset: Int, _ server: APIServer, isInOld: Bool) -> DiffPlace {
            DiffPlace(text: root.appending(offset).text, position: server.position, isInOld: isInOld)
        }
        func find(_ plan: ServerPlan, in plans: [ServerPlan]) -> Int? {
            plans.firstIndex { $0.server.url.isSame(as: plan.server.url) }
        }
        for (offset, plan) in before.enumerated() {
            guard let other = find(plan, in: after) else {
                list.report(
                    "server-removed", place(offset, plan.server, isInOld: true),
                    "the server \(plan.server.url) was removed", request: true, swift: true)
                continue
            }
            compare(plan, after[other], place(other, after[other].server, isInOld: false))
        }
        for (offset, plan) in after.enumerated() where find(plan, in: before) == nil {
            list.report(
                "server-added", place(offset, plan.server, isInOld: false),
                "the server \(plan.server.url) was added")
        }
        if let first = before.first, let second = after.first,
            !first.server.url.isSame(as: second.server.url),
            find(second, in: before) != nil, find(first, in: after) != nil
        {
            // A new client uses another server by default; old clients are not affected.
            list.report(
                "default-server-changed", place(0, second.server, isInOld: false),
                "the first server changed from \(first.server.url) to \(second.server.url)")
        }
    }

    private func compare(_ old: ServerPlan, _ new: ServerPlan, _ place: DiffPlace) {
        if old.name != new.name {
            list.report(
                "server-renamed", place, "the server \(old.name) was renamed to \(new.name)", swift: true)
        }
        for parameter in old.parameters {
            guard
                let other = new.parameters.first(where: {
                    $0.variable.name.isSame(as: parameter.variable.name)
                })
            else { continue }
            compare(parameter, other, place)
        }
    }

    private func compare(_ old: ServerPlan.Parameter, _ new: ServerPlan.Parameter, _ place: DiffPlace) {
        let title = "the server variable \"\(new.variable.name)\""
        let (before, after) = (Set(texts: old.variable.values), Set(texts: new.variable.values))
        if before.isEmpty != after.isEmpty {
            list.report(
                after.isEmpty ? "server-variable-lifted" : "server-variable-restricted", place,
                "\(title) \(after.isEmpty ? "can have any value" : "has an \"enum\"")",
                request: before.isEmpty, swift: true)
        } else {
            for value in before.subtracting(after).sorted() {
                list.report(
                    "server-variable-value-removed", place,
                    "the value \"\(value.text)\" of \(title) was removed", request: true, swift: true)
            }
            for value in after.subtracting(before).sorted() {
                // A `switch` over all values is no longer exhaustive.
                list.report(
                    "server-variable-value-added", place,
                    "the value \"\(value.text)\" of \(title) was added", swift: true)
            }
        }
        let defaults = (old.variable.fallback, new.variable.fallback)
        if defaults.0.map({ ExactText($0) }) != defaults.1.map({ ExactText($0) }) {
            list.report(
                "server-variable-default-changed", place,
                "the default of \(title) changed from \(defaults.0 ?? "none") to \(defaults.1 ?? "none")",
                swift: defaults.1 == nil)
        }
    }
}
