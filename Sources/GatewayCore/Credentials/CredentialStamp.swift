/// The owner of a credential, as known in this process. It contains no secret.
///
/// Data that is shared within the process is partitioned by the identity. Epochs restart in each process: data that
/// survives the process, such as a cache on disk or the entries of a queue, is partitioned only by the ``account``.
public struct CredentialIdentity: Hashable, Sendable {
    /// The credential: issuer, client, tenant, subject, scopes.
    public let key: String
    /// The number of a login in this process. It is unique over all keys and grows with each sign-in and sign-out.
    /// Epochs of different processes cannot be compared.
    public let epoch: UInt64
    /// A durable identifier of the login: the same in each process that uses the login, and different for each login.
    /// It is not a secret.
    ///
    /// It comes from the token store, or the application sets it. `nil` for credentials without either: their data must
    /// not be written to disk. It is also `nil` until the store was read, that is, until
    /// ``CredentialSource/ready(atLeast:deadline:)`` or ``CredentialSource/identified()`` returns.
    public let account: String?

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - key: the credential.
    ///   - epoch: the login in this process.
    ///   - account: the durable identifier of the login, if it has one.
    public init(key: String, epoch: UInt64, account: String? = nil) {
        self.key = key
        self.epoch = epoch
        self.account = account
    }

    /// Compares key and epoch. They determine the account, which may become known later.
    public static func == (a: CredentialIdentity, b: CredentialIdentity) -> Bool {
        a.epoch == b.epoch && a.key == b.key
    }

    /// Hashes key and epoch.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(epoch)
    }
}

extension CredentialIdentity {
    /// The account for a name of the application, with `%` and `|` percent-encoded; `nil` for an empty name.
    package static func account(named name: String?) -> String? {
        guard let name, !name.isEmpty else { return nil }
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "|") }) else {
            return name
        }
        var account = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "%": account += "%25"
            case "|": account += "%7C"
            default: account.unicodeScalars.append(scalar)
            }
        }
        return account
    }

    /// The account of a login in a durable store of tokens: it never comes again. In a name no `%-` occurs.
    ///
    /// - Parameter key: the first half of the key's digest.
    package static func account(ofLogin login: UInt64, key: Substring) -> String {
        let number = String(login, radix: 16)
        return String(key) + "%-" + String(repeating: "0", count: 16 - number.utf8.count) + number
    }

    /// Whether an account is that of a login in a durable store of tokens.
    package static func isLogin(_ account: String) -> Bool {
        account.utf8.dropFirst(32).starts(with: "%-".utf8)
    }

    /// The account of a request with several credentials; `nil` unless all of them have one.
    package static func account(joining accounts: [String?]) -> String? {
        let known = accounts.compactMap(\.self)
        return known.isEmpty || known.count < accounts.count ? nil : known.joined(separator: "|")
    }
}

/// Identifies the credential that a request was sent with.
public struct CredentialStamp: Hashable, Sendable {
    /// The owner of the credential.
    public let identity: CredentialIdentity
    /// The number of the token for this login. It grows by 1 with each refresh.
    public let generation: UInt64

    /// Creates a stamp.
    public init(identity: CredentialIdentity, generation: UInt64) {
        self.identity = identity
        self.generation = generation
    }
}
