import GatewayCore

/// Refresh tokens and their descent (RFC 9700 §4.14.2): pure state.
///
/// All refresh tokens that descend from one sign-in form a family, of which only the youngest is good. When an
/// older one is used, somebody has a copy, and nobody can tell who: the whole family is revoked.
struct RefreshTokenFamilies {
    /// A family.
    struct Family {
        /// In the order of sign-ins, from 0.
        let number: Int
        let clientID: String
        let subject: String
        let scopes: [String]
        /// Of the key that it is bound to.
        let keyThumbprint: String?
        fileprivate(set) var current: Secret
        fileprivate(set) var isRevoked = false
        /// The access tokens that were issued to it.
        fileprivate(set) var generations: [UInt64] = []
    }

    /// What comes of the use of a refresh token.
    enum Use {
        /// It is good. The family's next refresh token, or the same where there is no rotation.
        case good(family: Int, Family)
        /// It is unknown, or of another client, or its family was revoked before.
        case unknown
        /// It was used before: the family is revoked now, with these access tokens.
        case reused(generations: [UInt64])
    }

    private var families: [Family] = []
    private var familyOfToken: [Secret: Int] = [:]

    /// Starts a family.
    mutating func start(
        clientID: String, subject: String, scopes: [String], token: Secret, keyThumbprint: String?
    ) -> Int {
        families.append(
            Family(
                number: families.count, clientID: clientID, subject: subject, scopes: scopes,
                keyThumbprint: keyThumbprint,
                current: token))
        familyOfToken[token] = families.count - 1
        return families.count - 1
    }

    /// Uses a refresh token.
    ///
    /// - Parameter replacement: takes its place; `nil` where there is no rotation.
    mutating func use(_ token: Secret, clientID: String, replacement: Secret?) -> Use {
        guard let index = familyOfToken[token], families[index].clientID == clientID else { return .unknown }
        guard families[index].current == token else {
            guard !families[index].isRevoked else { return .unknown }
            families[index].isRevoked = true
            return .reused(generations: families[index].generations)
        }
        guard !families[index].isRevoked else { return .unknown }
        if let replacement {
            families[index].current = replacement
            familyOfToken[replacement] = index
        }
        return .good(family: index, families[index])
    }

    /// Whether a token could be used now, and what its family may have.
    func lookUp(_ token: Secret, clientID: String) -> Family? {
        guard let index = familyOfToken[token], families[index].clientID == clientID else { return nil }
        return families[index]
    }

    /// Notes which access token a family got.
    mutating func issued(generation: UInt64, to family: Int) {
        families[family].generations.append(generation)
    }

    /// Revokes the family of a token.
    ///
    /// - Returns: the access tokens that were issued to it.
    mutating func revoke(_ token: Secret, clientID: String) -> [UInt64] {
        guard let index = familyOfToken[token], families[index].clientID == clientID else { return [] }
        families[index].isRevoked = true
        return families[index].generations
    }

    /// Revokes all families.
    mutating func revokeAll() { for index in families.indices { families[index].isRevoked = true } }
}
