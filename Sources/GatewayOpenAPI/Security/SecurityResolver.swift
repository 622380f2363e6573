internal import GatewayAuth
internal import GatewayCore
internal import GatewayPatterns
internal import Synchronization

/// Finds the credentials of an operation, once for each combination of requirements and origin.
///
/// Each set of scopes has its own token, which all operations with that set share.
final class SecurityResolver: Sendable {
    private struct Key: Hashable {
        let requirements: ExactText
        let origin: Origin
    }

    enum Answer: Sendable {
        /// The operation is called without credentials.
        case anonymous
        case source(any CredentialSource)

        var source: (any CredentialSource)? {
            guard case .source(let source) = self else { return nil }
            return source
        }
    }

    let schemes: [ExactText: ConfiguredCredentials.Scheme]
    let options: SecurityOptions
    let connections: TokenSite.Connections
    /// The engine's sink, which receives the events of tokens too.
    let eventOutlet: EventOutlet?
    /// The engine's list of the coordinators whose tokens its calls use.
    let engineParts: EngineParts
    /// The base of relative token endpoints.
    let server: Origin?
    /// Distinguishes the fixed credentials of this client from those of other clients in this process.
    let serial: UInt64
    /// The credentials of the engine, for schemes with tokens that have none here.
    private let engineCredentials: [Origin: any CredentialSource]
    /// The origins that receive credentials.
    private let origins: Result<Set<Origin>, NetworkError>
    private let answers = Locked<[Key: Answer]>([:])

    private static let serials = Atomic<UInt64>(0)

    /// - Parameter server: the origin of the client's server; `nil` if its URL is invalid, in which case nothing is
    ///   sent.
    init(_ credentials: ConfiguredCredentials, engine: any RequestEngine, server: Origin?) {
        schemes = credentials.schemes
        options = credentials.options
        self.server = server
        let services = engine.services
        (eventOutlet, engineParts) = (services.events, services.parts)
        engineCredentials = services.credentials
        connections = TokenSite.Connections(
            transport: EngineTransport.forTokens(of: engine),
            showCertificate: credentials.options.showsClientCertificate
                ?? services.showsClientCertificate,
            plainHTTP: services.plainHTTP)
        serial = Self.serials.add(1, ordering: .relaxed).newValue
        let options = credentials.options
        origins = Result { () throws(NetworkError) in
            var origins = Set<Origin>()
            if let server { origins.insert(server) }
            for origin in options.origins { origins.insert(try Origin(origin)) }
            return origins
        }
        // A sign-in, or a call of a queue with the same credential, can precede the first call of this client.
        for (name, scheme) in schemes.sorted(by: { $0.key < $1.key }) {
            guard case .tokens(let credential, let tokens)? = scheme.entry else { continue }
            credential.keeper.settle(TokenKeeper.Home(scheme: name.text, tokens: tokens, server: server))
            guard case .login(let login) = credential.way else { continue }
            _ = try? login.settle(credential.options, tokens, server: server, connections)
        }
    }

    /// The credentials that an operation requires, bound to the origin; `nil` if the document says nothing.
    ///
    /// - Throws: `credentialMissing`, `insecureOrigin` or `credentialMisconfigured`, and `invalidURL` for a token
    ///   endpoint; all before any I/O.
    func answer(
        to requirements: StaticString?, operation: String, origin: Origin
    ) throws(NetworkError) -> Answer? {
        guard let requirements else { return nil }
        let key = Key(requirements: ExactText("\(requirements)"), origin: origin)
        if let known = answers.withLock({ $0[key] }) { return known }
        let new = try resolve(SecurityRequirements(key.requirements.text), operation, origin)
        return answers.withLock { answers in
            if let known = answers[key] { return known }
            answers[key] = new
            return new
        }
    }

    /// Whether requests of an operation never carry a credential: each alternative requires nothing, or only a client
    /// certificate.
    func isAnonymous(_ requirements: StaticString?) -> Bool {
        guard let requirements else { return false }
        return SecurityRequirements("\(requirements)").alternatives.joined().allSatisfy { scheme in
            if case .mutualTLS? = schemes[scheme.id]?.entry { true } else { false }
        }
    }

    private func resolve(
        _ requirements: SecurityRequirements, _ operation: String, _ origin: Origin
    ) throws(NetworkError) -> Answer {
        if requirements.isEmpty { return .anonymous }
        for name in options.preferred where schemes[ExactText(name)] == nil {
            throw NetworkError(
                .credentialMisconfigured,
                "The security options prefer \"\(name)\", and the document has no such scheme.")
        }
        guard try origins.get().contains(origin) else {
            if requirements.isOptional { return .anonymous }
            throw NetworkError(
                .credentialMissing,
                "\(operation) goes to a server of its own, \(origin), which gets no credentials unless the "
                    + "security options list it in `origins`.", origin: origin)
        }
        var selection = requirements.selected(preferring: options.preferred, where: isConfigured)
        if selection == .missing || selection == .anonymous, engineCredentials[origin] != nil {
            selection = requirements.selected(preferring: options.preferred) { scheme in
                isConfigured(scheme) || schemes[ExactText(scheme.name)]?.takesTokens == true
            }
        }
        switch selection {
        case .anonymous: return .anonymous
        case .missing:
            throw NetworkError(
                .credentialMissing,
                "\(operation) needs credentials that the client was not given: "
                    + "\(requirements.phrase(note)). Give all of one alternative.\(elsewhere(origin))",
                origin: origin)
        case .use(let alternative):
            // Refused here, to avoid fetching a token that cannot be sent.
            try origin.refuseInsecure(allowing: connections.plainHTTP)
            return try answer(alternative, origin: origin)
        }
    }

    /// The origins of the engine's credential, if there is one that this origin does not get.
    private func elsewhere(_ origin: Origin) -> String {
        guard !engineCredentials.isEmpty, engineCredentials[origin] == nil else { return "" }
        let origins = engineCredentials.keys.map(\.description).sorted().joined(separator: ", ")
        return " The engine's credential is for \(origins), not for \(origin)."
    }

    private func isConfigured(_ scheme: SecurityRequirements.Scheme) -> Bool {
        switch schemes[scheme.id]?.entry {
        case .mutualTLS?: connections.showCertificate
        case nil: false
        default: true
        }
    }

    /// The kind of a scheme, and whether it is configured.
    private func note(_ scheme: SecurityRequirements.Scheme) -> String {
        guard let known = schemes[scheme.id] else { return "not supported" }
        if isConfigured(scheme) { return known.kind + ", given" }
        if case .mutualTLS? = known.entry { return "mutualTLS, by an engine with a client certificate" }
        return known.kind
    }

    // MARK: One alternative

    private func answer(
        _ alternative: [SecurityRequirements.Scheme], origin: Origin
    ) throws(NetworkError) -> Answer {
        var fixed: [FixedCredential] = []
        var accounts: [String?] = []
        var renewed: (any CredentialSource)?
        for scheme in alternative {
            switch schemes[scheme.id]?.entry {
            case .basic(let credential):
                fixed.append(try .basic(credential))
                accounts.append(credential.account)
            case .fixed(let credential, let account):
                accounts.append(account)
                fixed.append(credential)
            case .tokens(let credential, let tokens):
                if case .fixed(let token) = credential.way {
                    try credential.refuseBinding()
                    accounts.append(credential.options.account)
                    fixed.append(.bearer(token))
                } else {
                    if renewed != nil { throw Self.tooMany }
                    renewed = try source(scheme, credential, tokens, origin)
                }
            case .mutualTLS:
                guard origin.scheme == .https else {
                    throw NetworkError(
                        .insecureOrigin, "A client certificate is shown over TLS alone.", origin: origin)
                }
            case nil:
                // The engine's. It was selected because the engine has one.
                if renewed != nil { throw Self.tooMany }
                renewed = engineCredentials[origin]
            }
        }
        if fixed.isEmpty { return renewed.map { .source($0) } ?? .anonymous }
        if fixed.count(where: \.isAuthorization) + (renewed == nil ? 0 : 1) > 1 { throw Self.tooMany }
        return .source(
            SchemeCredentialSource(
                origin: origin, plainHTTP: connections.plainHTTP, fixed: fixed.filter { !$0.isCustom },
                last: fixed.filter(\.isCustom),
                renewed: renewed,
                fixedKey: "fixed:\(serial):\(Self.key(alternative))",
                fixedAccount: CredentialIdentity.account(
                    joining: accounts.map(CredentialIdentity.account(named:)))))
    }

    /// The names of the schemes in ASCII, so that the keys of other names differ from it in every comparison.
    private static func key(_ alternative: [SecurityRequirements.Scheme]) -> String {
        alternative.map { scheme in
            scheme.name.unicodeScalars.map { $0 == "+" ? "\\+" : $0.escaped(asASCII: true) }.joined()
        }.joined(separator: "+")
    }

    private static var tooMany: NetworkError {
        NetworkError(
            .credentialMisconfigured, "Two credentials cannot share one Authorization header field.")
    }
}
