import GatewayAuth
import GatewayCore

extension VariableReader {
    /// The values of `GATEWAY_CLIENT_AUTH`.
    private enum Style: String, CaseIterable {
        case basic, post, privateKeyJWT = "private_key_jwt", assertion, tls, none

        /// The variables that it requires, and that no other style uses.
        var variables: [Variable] {
            switch self {
            case .basic, .post: [.clientSecret, .clientSecretFile]
            case .privateKeyJWT: [.signingKeyFile, .signingKeyID, .signingAlgorithm, .assertionAudience]
            case .assertion: [.clientAssertionFile]
            case .tls, .none: []
            }
        }
    }

    /// How the client authenticates; `nil` with a note if something is missing.
    ///
    /// - Parameter grant: what it is for. Only client credentials require authentication.
    mutating func clientAuthentication(for grant: EnvironmentGrant.Kind) -> ClientAuthentication? {
        let signsGrants = signsGrants(grant)
        let configured = value(.clientAuthentication, Style.init(rawValue:))
        let style = configured ?? style(signsGrants: signsGrants)
        for other in Style.allCases where other.variables != style.variables {
            refuse(
                other == .privateKeyJWT && signsGrants ? [] : other.variables,
                "not used: the client authenticates by `\(style.rawValue)`")
        }
        let secret = style.variables.contains(.clientSecret) ? clientSecret() : nil
        let key = style == .privateKeyJWT ? signingKey() : nil
        guard let id = text(.clientID) else {
            note(.missing, .clientID, "required by the other variables of the client")
            return nil
        }
        switch style {
        case .basic:
            return secret.map {
                configured == nil ? .automatic(clientID: id, secret: $0) : .basic(clientID: id, secret: $0)
            }
        case .post: return secret.map { .post(clientID: id, secret: $0) }
        case .privateKeyJWT:
            return key.flatMap { privateKeyJWT(id, $0, isAutomatic: configured == nil) }
        case .assertion:
            guard let path = file(.clientAssertionFile) else {
                if !isSet(.clientAssertionFile) {
                    note(
                        .missing, .clientAssertionFile,
                        "required by \(Variable.clientAuthentication) `assertion`")
                }
                return nil
            }
            return .assertion(clientID: id, from: .file(path))
        case .tls:
            if !isSet(.clientCertificateFile) {
                note(.missing, .clientCertificateFile, "required by \(Variable.clientAuthentication) `tls`")
            }
            return .mutualTLS(clientID: id)
        case .none:
            if grant == .clientCredentials {
                note(
                    .missing, .clientSecretFile,
                    "required for client credentials: the path of a file with the client's secret")
            }
            return .publicClient(clientID: id)
        }
    }

    /// The style that the variables that are set belong to.
    private func style(signsGrants: Bool) -> Style {
        let given: [Style] = signsGrants ? [.basic, .assertion] : [.basic, .privateKeyJWT, .assertion]
        return given.first { $0.variables.contains(where: isSet) } ?? .none
    }

    /// The source of the secret. A file is read here, to report its errors, and again for each request, so that the secret
    /// can be replaced.
    private mutating func clientSecret() -> SecretSource? {
        let secret = secret(.clientSecret, file: .clientSecretFile)
        if !isSet(.clientSecret), !isSet(.clientSecretFile) {
            note(.missing, .clientSecretFile, "required by \(Variable.clientAuthentication)")
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
            note(.missing, .signingKeyFile, "required to sign assertions")
            return nil
        }
        do {
            let pem = try SecretFile.read(path)
            guard let key = try? JSONWebTokenKey(pem: pem, algorithm: algorithm ?? .rs256), key.canSign else {
                note(
                    .unreadableFile, .signingKeyFile,
                    "the file has no unencrypted private key for \(Variable.signingAlgorithm)")
                return nil
            }
            return key
        } catch {
            note(.unreadableFile, .signingKeyFile, error.reason)
            return nil
        }
    }

    private mutating func privateKeyJWT(
        _ id: String, _ key: JSONWebTokenKey, isAutomatic: Bool
    ) -> ClientAuthentication? {
        let (keyID, audience) = (text(.signingKeyID), text(.assertionAudience))
        do throws(NetworkError) {
            return isAutomatic
                ? try .automatic(clientID: id, key: key, keyID: keyID, audience: audience)
                : try .privateKeyJWT(clientID: id, key: key, keyID: keyID, audience: audience)
        } catch {
            note(.invalidValue, .signingKeyFile, "the key cannot sign")
            return nil
        }
    }
}
