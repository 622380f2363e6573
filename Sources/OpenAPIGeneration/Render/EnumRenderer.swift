/// An open enum: values that the document does not define are kept.
struct EnumRenderer {
    let enumeration: EnumerationDeclaration
    /// The case names of the values, in the same order.
    let cases: [String]

    func declaration(_ name: String, _ documentation: [String]) -> SwiftDeclaration {
        let isInteger = enumeration.isInteger
        let raw: SwiftType = isInteger ? "Int" : "String"
        let literals = enumeration.values.map { isInteger ? Expression.name($0) : .literal($0) }
        let names = cases.map { SwiftName.escaped($0) }
        let implicit = names.map { Expression.name("." + $0) }
        let values = zip(implicit, literals)
        let defined = names.enumerated().map { SwiftDeclaration.enumCase(comment($0), $1) }
        let unrecognized = SwiftDeclaration.enumCase(
            ["A value that the document does not define."], "unrecognized", [.init(nil, raw)])
        let known = SwiftDeclaration(
            ["The values that the document defines."], "static var knownCases", .variable(.array("Self")),
            .block([.return(.array(implicit))]))
        let decode =
            values.map { Statement.Case([$1], .assign("self", $0)) }
            + [.init([], .assign("self", .call(".unrecognized", ["rawValue"])))]
        let text = isInteger ? "rawValue" : Expression.name("rawValue").exact(enumeration.values)
        let encode =
            values.map { Statement.Case([$0], .return($1)) }
            + [.init([.call(".unrecognized", ["let rawValue"])], .return("rawValue"))]
        return SwiftDeclaration(
            documentation, "nonisolated enum " + name, .type(["OpenEnum"]),
            .members([
                defined + [unrecognized], [known],
                [.init("init", .function([.init("rawValue", raw)]), .block([.switch(text, decode)]))],
                [.init("var rawValue", .variable(raw), .block([.switch("self", encode)]))],
            ]))
    }

    /// The description of a value, otherwise the value.
    private func comment(_ offset: Int) -> [String] {
        let text = offset < enumeration.labels.count ? enumeration.labels[offset].text : nil
        let value = enumeration.values[offset]
        if enumeration.isInteger { return SwiftText.comment(text, "The value \(value).") }
        return SwiftText.comment(
            text,
            SwiftText.oneLine(value).isEmpty
                ? "An empty or blank string." : "The value \(SwiftText.code(value)).")
    }
}
