internal import GatewayAuth
internal import GatewayCore
internal import Synchronization

/// Finds the way that an operation's calls take with their credentials, once for each set of requirements and origin.
///
/// A scheme has one coordinator; each set of scopes has a token of its own in it, shared by all operations that need
/// that set.
final class SecurityResolver: Sendable {
    private struct Key: Hashable {
        let requirements: String
        let origin: Origin
    }

    private struct State {
        var routes: [Key: any RequestEngine] = [:]
    }

    private let entries: [String: ConfiguredCredentials.Entry]
    private let engine: any RequestEngine
    private let state = Locked(State())
    /// Tells this client's credentials from those of every other in this process.
    private let serial: UInt64

    private static let serials = Atomic<UInt64>(0)

    init(_ credentials: ConfiguredCredentials, engine: any RequestEngine) {
        entries = credentials.entries
        self.engine = engine
        serial = Self.serials.add(1, ordering: .relaxed).newValue
    }

    /// The engine that makes an operation's calls with the credentials that it demands.
    ///
    /// - Throws: `credentialMissing`, `insecureOrigin`, `credentialMisconfigured`; all before any I/O.
    func route(
        _ requirements: StaticString?, operation: StaticString, origin: Origin
    ) throws(NetworkError) -> any RequestEngine {
        guard let requirements else { return engine }
        let key = Key(requirements: "\(requirements)", origin: origin)
        if let known = state.withLock({ $0.routes[key] }) { return known }
        let parsed = SecurityRequirements(key.requirements)
        switch parsed.selected(where: { entries[$0.name] != nil }) {
        case .anonymous:
            return engine
        case .missing:
            throw NetworkError(
                .credentialMissing,
                "\(operation) needs a credential that the client was not given: \(parsed.phrase).",
                origin: origin)
        case .use(let schemes):
            // Refused here, before a token is fetched for nothing.
            guard origin.isSecureOrLoopback else { throw SchemeCredentialSource.insecure(origin) }
            let route = try route(schemes, origin: origin)
            return state.withLock { state in
                if let known = state.routes[key] { return known }
                state.routes[key] = route
                return route
            }
        }
    }

    private func route(
        _ schemes: [SecurityRequirements.Scheme], origin: Origin
    ) throws(NetworkError) -> any RequestEngine {
        var fixed: [FixedCredential] = []
        for scheme in schemes {
            switch entries[scheme.name] {
            case .basic(let credential): fixed.append(try .basic(credential))
            case .apiKeyHeader(let credential, let name):
                fixed.append(.header(name: name, value: credential.key))
            case .apiKeyQuery(let credential, let name):
                fixed.append(.query(name: name, value: credential.key))
            case .apiKeyCookie(let credential, let name):
                fixed.append(.cookie(name: name, value: credential.key))
            case .bearer(let credential):
                switch credential.kind {
                case .token(let token): fixed.append(.bearer(token))
                case .provider:
                    throw NetworkError(.credentialMisconfigured, "Providers are not supported yet.")
                }
            case .oauth(let credential, _):
                guard case .token(let token) = credential.kind else {
                    throw NetworkError(.credentialMisconfigured, "Grants are not supported yet.")
                }
                fixed.append(.bearer(token))
            case nil: break
            }
        }
        return FixedCredentialEngine(
            below: engine, origin: origin, fixed: fixed,
            fixedKey: "fixed:\(serial):\(schemes.map(\.name).joined(separator: "+"))")
    }
}
