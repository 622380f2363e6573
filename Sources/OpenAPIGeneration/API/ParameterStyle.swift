/// How a parameter or a property of a form is serialized: the keyword `style`.
enum ParameterStyle: String, CaseIterable {
    case simple, label, matrix, form, spaceDelimited, pipeDelimited, deepObject, cookie

    /// The locations of parameters for which the specification allows the style. A form has the styles of the query.
    var locations: Set<Parameter.Location> {
        switch self {
        case .simple: [.path, .header]
        case .label, .matrix: [.path]
        case .form: [.query, .cookie]
        case .spaceDelimited, .pipeDelimited, .deepObject: [.query]
        case .cookie: [.cookie]
        }
    }

    /// The default of `explode`.
    var isExploded: Bool {
        switch self {
        case .form, .deepObject, .cookie: true
        case .simple, .label, .matrix, .spaceDelimited, .pipeDelimited: false
        }
    }

    /// Whether the runtime has a call that sends an array of primitives in this style as a list in the query.
    var isList: Bool {
        switch self {
        case .form, .spaceDelimited, .pipeDelimited: true
        case .simple, .label, .matrix, .deepObject, .cookie: false
        }
    }

    /// The name in the runtime. Styles without an exploded form use `form` when exploded.
    func name(explode: Bool) -> String {
        switch self {
        case .simple, .label, .matrix, .form, .cookie: rawValue + (explode ? "Exploded" : "")
        case .spaceDelimited, .pipeDelimited: explode ? "formExploded" : rawValue
        case .deepObject: rawValue
        }
    }
}

extension Parameter.Location {
    /// The default of `style`.
    var style: ParameterStyle {
        switch self {
        case .query, .cookie: .form
        case .path, .header: .simple
        }
    }
}
