import GatewayCore

/// Maps requests to handlers. Pure state.
struct RouteTable {
    /// Returns the response to a request.
    enum Handler: Sendable {
        case immediate(@Sendable (EmbeddedGateway.Request) -> EmbeddedGateway.Reply)
        case asynchronous(@Sendable (EmbeddedGateway.Request) async -> EmbeddedGateway.Reply)
    }

    /// A route.
    struct Route: Sendable {
        /// The path as it was added, with `{names}`.
        let path: String
        let access: EmbeddedGateway.Access
        let handler: Handler
        fileprivate let segments: [Segment]
    }

    fileprivate enum Segment: Sendable {
        case literal(String)
        case parameter(String)
    }

    /// The result of looking up a request.
    enum Match {
        case route(Route, parameters: [String: String])
        /// The path exists, but not with this method. These methods are allowed (RFC 9110 §15.5.6).
        case otherMethods([String])
        case nothing
    }

    /// The routes without parameters, for a fast lookup.
    private var literal: [String: [HTTPMethod: Route]] = [:]
    private var patterns: [(method: HTTPMethod?, route: Route)] = []
    private var anyMethod: [String: Route] = [:]

    /// Adds a route. It replaces an earlier route with the same method and path.
    ///
    /// - Parameter method: the method; `nil` for any.
    mutating func add(
        _ method: HTTPMethod?, _ path: String, access: EmbeddedGateway.Access,
        _ handler: Handler
    ) {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            part.hasPrefix("{") && part.hasSuffix("}")
                ? Segment.parameter(String(part.dropFirst().dropLast())) : Segment.literal(String(part))
        }
        let route = Route(
            path: path, access: access, handler: handler, segments: segments
        )
        let isLiteral = segments.allSatisfy { if case .literal = $0 { true } else { false } }
        switch (isLiteral, method) {
        case (true, let method?): literal[path, default: [:]][method] = route
        case (true, nil): anyMethod[path] = route
        case (false, _):
            patterns.removeAll { $0.method == method && $0.route.path == path }
            patterns.append((method, route))
        }
    }

    /// Finds the route of a request. Routes without parameters take precedence.
    func match(_ method: HTTPMethod, _ path: Substring) -> Match {
        let key = String(path)
        let byMethod = literal[key]
        // HEAD is handled like GET; the server omits the content (RFC 9110 §9.3.2).
        let methods = method == .head ? [method, .get] : [method]
        for method in methods {
            if let route = byMethod?[method] { return .route(route, parameters: [:]) }
        }
        if let route = anyMethod[key] { return .route(route, parameters: [:]) }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        var allowed = byMethod.map { Set($0.keys.map(\.rawValue)) } ?? []
        for (patternMethod, route) in patterns {
            guard let parameters = Self.parameters(of: route, in: parts) else { continue }
            guard let patternMethod, !methods.contains(patternMethod) else {
                return .route(route, parameters: parameters)
            }
            allowed.insert(patternMethod.rawValue)
        }
        return allowed.isEmpty ? .nothing : .otherMethods(allowed.sorted())
    }

    private static func parameters(of route: Route, in parts: [Substring]) -> [String: String]? {
        guard parts.count == route.segments.count else { return nil }
        var parameters: [String: String] = [:]
        for (segment, part) in zip(route.segments, parts) {
            switch segment {
            case .literal(let text): guard text == part else { return nil }
            case .parameter(let name):
                guard !part.isEmpty else { return nil }
                parameters[name] = String(percentDecoding: Array(part.utf8)[...])
            }
        }
        return parameters
    }
}
