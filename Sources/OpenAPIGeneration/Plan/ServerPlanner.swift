/// Names servers and the types of their variables.
struct ServerPlanner {
    let plans: [ServerPlan]
    let enums: [ServerEnum]

    init(_ servers: [APIServer]) {
        var scope = NameScope(reserving: ["url", "choice", "init"])
        let names = servers.enumerated().map { scope.claim(Self.name($1, offset: $0)) }
        // The servers are static members of the type that declares the types of the variables.
        var types = NameScope(reserving: Set(names).union(["Server", "ServerChoice"]))
        var enums: [ServerEnum] = []
        var plans: [ServerPlan] = []
        for (name, server) in zip(names, servers) {
            var members = NameScope(reserving: ["origin"])
            var parameters: [ServerPlan.Parameter] = []
            for variable in server.variables {
                let member = members.claim(SwiftName.member(variable.name))
                let argument = Expression.name(SwiftName.escaped(member))
                var parameter = ServerPlan.Parameter(
                    variable: variable, name: member, type: "String",
                    fallback: variable.fallback.map { .literal($0) }, text: argument)
                if !variable.values.isEmpty {
                    let type = Self.type(of: variable, at: name, &enums, &types)
                    let own =
                        type.cases.first { $0.value.isSame(as: variable.fallback ?? "") }?.name ?? "value"
                    parameter.type = .named(type.name)
                    parameter.fallback = .name(type.name + "." + own)
                    parameter.text = .member(argument, "rawValue")
                }
                parameters.append(parameter)
            }
            plans.append(ServerPlan(server: server, name: name, parameters: parameters))
        }
        self.plans = plans
        self.enums = enums
    }

    /// One type for variables of several servers with the same values.
    private static func type(
        of variable: APIServer.Variable, at server: String, _ enums: inout [ServerEnum],
        _ types: inout NameScope
    ) -> ServerEnum {
        if let known = enums.first(where: {
            $0.variable.name.isSame(as: variable.name)
                && $0.variable.values.map { ExactText($0) } == variable.values.map { ExactText($0) }
        }) {
            return known
        }
        let isTaken = enums.contains { $0.variable.name.isSame(as: variable.name) }
        let name = types.claim(SwiftName.type(isTaken ? server + " " + variable.name : variable.name))
        var scope = NameScope(reserving: ["init", "rawValue"])
        let cases = variable.values.map { value in
            (name: SwiftName.escaped(scope.claim(SwiftName.enumCase(value))), value: value)
        }
        let new = ServerEnum(name: name, variable: variable, cases: cases)
        enums.append(new)
        return new
    }

    /// By its name, a description of at most three words, or its host.
    static func name(_ server: APIServer, offset: Int) -> String {
        if let own = server.name { return SwiftName.member(own) }
        if let text = server.text, (1...3).contains(text.split(separator: " ").count) {
            return SwiftName.member(text)
        }
        return host(server.url).map { SwiftName.member($0) } ?? "server\(offset + 1)"
    }

    /// The distinctive part of a host: `sandbox` of `sandbox.example.com`.
    private static func host(_ url: String) -> String? {
        let pieces = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard pieces.count >= 3, pieces[1].isEmpty else { return nil }
        let host = pieces[2].prefix { $0 != ":" }
        guard !host.isEmpty, !host.hasPrefix("["), host.contains(where: { $0.isLetter }) else { return nil }
        let labels = host.split(separator: ".")
        let fixed = (labels.count > 2 ? labels.dropLast(2) : labels[...]).filter { !$0.contains("{") }
        guard let first = fixed.first, first.contains(where: { $0.isLetter }) else { return nil }
        return fixed.joined(separator: " ")
    }
}
