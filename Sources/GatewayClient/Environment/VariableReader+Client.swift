import GatewayAuth
import GatewayCore

extension VariableReader {
    /// The values of `GATEWAY_CLIENT_AUTH`.
    private enum Style: String, CaseIterable {
        case basic, post, privateKeyJWT = "private_key_jwt", assertion, tls, none

        /// The variables that it is of no use without, and that are of no use without it.
        var variables: [Variable] {
            switch self {
            case .basic, .post: [.clientSecret, .clientSecretFile]
            case .privateKeyJWT: [.signingKeyFile, .signingKeyID, .signingAlgorithm, .assertionAudience]
            case .assertion: [.clientAssertionFile]
            case .tls, .none: []
            }
        }
    }

    /// How the client proves who it is; `nil` with a note where that cannot be told.
    ///
    /// - Parameter grant: what it is for. Where something else proves enough it may prove nothing.
    mutating func clientAuthentication(for grant: EnvironmentGrant.Kind) -> ClientAuthentication? {
        let signsGrants = signsGrants(grant)
        let style = style(signsGrants: signsGrants)
        for other in Style.allCases where other.variables != style.variables {
            refuse(
                other == .privateKeyJWT && signsGrants ? [] : other.variables,
                "it has nothing to say where the client proves who it is by `\(style.rawValue)`")
        }
        let secret = style.variables.contains(.clientSecret) ? clientSecret() : nil
        let key = style == .privateKeyJWT ? signingKey() : nil
        guard let id = text(.clientID) else {
            note(.missing, .clientID, "other variables describe a client: this one says who it is")
            return nil
        }
        switch style {
        case .basic: return secret.map { .basic(clientID: id, secret: $0) }
        case .post: return secret.map { .post(clientID: id, secret: $0) }
        case .privateKeyJWT: return key.flatMap { privateKeyJWT(id, $0) }
        case .assertion:
            guard let path = file(.clientAssertionFile) else {
                if !isSet(.clientAssertionFile) {
                    note(
                        .missing, .clientAssertionFile, "\(Variable.clientAuthentication) wants an assertion")
                }
                return nil
            }
            return .assertion(clientID: id, from: .file(path))
        case .tls:
            if !isSet(.clientCertificateFile) {
                note(.missing, .clientCertificateFile, "\(Variable.clientAuthentication) wants a certificate")
            }
            return .mutualTLS(clientID: id)
        case .none:
            if grant == .clientCredentials {
                note(
                    .missing, .clientSecretFile,
                    "client credentials need the client's secret, in the file that this variable names")
            }
            return .publicClient(clientID: id)
        }
    }

    /// What is asked for, else what the variables that are set are good for.
    private mutating func style(signsGrants: Bool) -> Style {
        if let style = value(.clientAuthentication, Style.init(rawValue:)) { return style }
        let given: [Style] = signsGrants ? [.basic, .assertion] : [.basic, .privateKeyJWT, .assertion]
        return given.first { $0.variables.contains(where: isSet) } ?? .none
    }

    /// Where the secret comes from. A file is read here, so that what is wrong with it is told, and anew each time that
    /// the secret is needed, so that another can be put there.
    private mutating func clientSecret() -> SecretSource? {
        let secret = secret(.clientSecret, file: .clientSecretFile)
        if !isSet(.clientSecret), !isSet(.clientSecretFile) {
            note(.missing, .clientSecretFile, "\(Variable.clientAuthentication) wants the client's secret")
        }
        guard let secret else { return nil }
        return text(.clientSecretFile).map { .file($0) } ?? .fixed(secret)
    }

    /// The key that assertions are signed with.
    mutating func signingKey() -> JSONWebTokenKey? {
        let algorithm =
            value(.signingAlgorithm) { text in
                JSONWebTokenAlgorithm(rawValue: text).flatMap {
                    JSONWebTokenAlgorithm.asymmetric.contains($0) ? $0 : nil
                }
            }
        guard let path = text(.signingKeyFile) else {
            note(.missing, .signingKeyFile, "assertions that are signed here need the key")
            return nil
        }
        do {
            let pem = try SecretFile.read(path)
            guard let key = try? JSONWebTokenKey(pem: pem, algorithm: algorithm ?? .rs256), key.canSign else {
                note(
                    .unreadableFile, .signingKeyFile,
                    "the file holds no private key, not encrypted, for \(Variable.signingAlgorithm)")
                return nil
            }
            return key
        } catch {
            note(.unreadableFile, .signingKeyFile, error.reason)
            return nil
        }
    }

    private mutating func privateKeyJWT(_ id: String, _ key: JSONWebTokenKey) -> ClientAuthentication? {
        do throws(NetworkError) {
            return try .privateKeyJWT(
                clientID: id, key: key, keyID: text(.signingKeyID), audience: text(.assertionAudience))
        } catch {
            note(.invalidValue, .signingKeyFile, "the key cannot sign")
            return nil
        }
    }
}
