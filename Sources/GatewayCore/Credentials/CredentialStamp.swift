/// The owner of a credential, as far as this process can tell. It holds no secret.
///
/// Whatever is shared within the process is partitioned by the identity. Its epoch begins anew in each process: what
/// outlives the process, such as a cache on disk or the rows of a queue, is partitioned by the ``account`` alone.
public struct CredentialIdentity: Hashable, Sendable {
    /// The credential: issuer, client, tenant, subject, scopes.
    public let key: String
    /// One login of the process: no other has it, whatever its key. It grows at every login and logout. Epochs of different
    /// processes cannot be compared.
    public let epoch: UInt64
    /// An identifier of the login that outlives the process: the same in each process that uses the same login, and another
    /// one for another login. No secret.
    ///
    /// It comes from the store that keeps the tokens, or the application names it. `nil` for credentials of which neither is
    /// true: data that belongs to them must not be written to disk. It is also `nil` until the store was read, which has
    /// happened when ``CredentialSource/ready(atLeast:deadline:)`` or ``CredentialSource/identified()`` returns.
    public let account: String?

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - key: the credential.
    ///   - epoch: the login within this process.
    ///   - account: the login's durable identifier, if it has one.
    public init(key: String, epoch: UInt64, account: String? = nil) {
        self.key = key
        self.epoch = epoch
        self.account = account
    }

    /// Compares key and epoch. They determine the account, which may become known later than they do.
    public static func == (a: CredentialIdentity, b: CredentialIdentity) -> Bool {
        a.epoch == b.epoch && a.key == b.key
    }

    /// Feeds what `==` compares into the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(epoch)
    }
}

extension CredentialIdentity {
    /// The account of a name that an application chose, with `%` and `|` percent-encoded; `nil` for an empty one.
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

    /// The account of a request with several credentials; `nil` unless each of them has one.
    package static func account(joining accounts: [String?]) -> String? {
        let known = accounts.compactMap(\.self)
        return known.isEmpty || known.count < accounts.count ? nil : known.joined(separator: "|")
    }
}

/// The credential that a request was sent with.
public struct CredentialStamp: Hashable, Sendable {
    /// The owner of the credential.
    public let identity: CredentialIdentity
    /// The number of the token among its successive ones; grows by 1 with every refresh.
    public let generation: UInt64

    /// Creates a stamp.
    public init(identity: CredentialIdentity, generation: UInt64) {
        self.identity = identity
        self.generation = generation
    }
}
