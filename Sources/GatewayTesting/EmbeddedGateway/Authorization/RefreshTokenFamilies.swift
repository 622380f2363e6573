import GatewayCore

/// Refresh tokens and their families (RFC 9700 §4.14.2). Pure state.
///
/// All refresh tokens from one sign-in form a family, in which only the newest is valid. If an older one is used, the
/// token was copied, and it is unknown who has the copy. So the whole family is revoked.
struct RefreshTokenFamilies {
    /// The refresh tokens from one sign-in.
    struct Family {
        /// The number of the family in the order of sign-ins, from 0.
        let number: Int
        let clientID: String
        let subject: String
        let scopes: [String]
        /// The thumbprint of the key that the family is bound to.
        let keyThumbprint: String?
        fileprivate(set) var current: Secret
        fileprivate(set) var isRevoked = false
        /// The generations of the access tokens that were issued to the family.
        fileprivate(set) var generations: [UInt64] = []
    }

    /// The result of using a refresh token.
    enum Use {
        /// Accepted. The family has the replacement as its current refresh token, or the same one without rotation.
        case good(family: Int, Family)
        /// Unknown, or of another client, or its family was revoked before.
        case unknown
        /// Used before: the family is revoked now, with these access tokens.
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
    /// - Parameter replacement: the next refresh token; `nil` without rotation.
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

    /// The family of a refresh token, without using it.
    func lookUp(_ token: Secret, clientID: String) -> Family? {
        guard let index = familyOfToken[token], families[index].clientID == clientID else { return nil }
        return families[index]
    }

    /// Records an access token that was issued to a family.
    mutating func issued(generation: UInt64, to family: Int) {
        families[family].generations.append(generation)
    }

    /// Revokes the family of a token.
    ///
    /// - Returns: the generations of the access tokens that were issued to it.
    mutating func revoke(_ token: Secret, clientID: String) -> [UInt64] {
        guard let index = familyOfToken[token], families[index].clientID == clientID else { return [] }
        families[index].isRevoked = true
        return families[index].generations
    }

    /// Revokes all families.
    mutating func revokeAll() { for index in families.indices { families[index].isRevoked = true } }
}
