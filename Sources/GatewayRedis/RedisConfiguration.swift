public import GatewayCore

/// Where a Redis server is, and how it is spoken to.
///
/// **Secrecy.** Records hold refresh tokens, and hiredis 0.14 speaks no TLS: what goes over a network can be read
/// there. Therefore a server elsewhere is refused unless ``allowsPlaintextNetwork`` says that the way is protected: a
/// TLS tunnel on this machine, a private network that encrypts by itself. On the server, give the client a user of its
/// own by ACL, such as
/// `ACL SETUSER gateway on >secret ~gateway:token:* -@all +auth +select +eval +hget +hset +get +set +del +pexpire`.
///
/// **Durability.** What the server has not written to its disk is lost with it, and what it has not replicated is lost
/// in a failover. Set `appendonly yes`, and `appendfsync always` where no refresh token may ever be lost. The policy for a
/// full memory must be `maxmemory-policy noeviction`: then a full server refuses the lock, and no refresh token is sent.
/// A process that has read a record notices that the server lost it; one that starts later needs ``witnessDirectory``
/// for that.
public struct RedisConfiguration: Sendable {
    /// A name or an address.
    public var host = "127.0.0.1"
    /// The port.
    public var port: UInt16 = 6379
    /// The path of a Unix socket; it takes the place of host and port.
    public var socketPath: String?
    /// The user (Redis 6 and later); `nil` for the default one.
    public var username: String?
    /// The password; `nil` for none.
    public var password: Secret?
    /// The number of the database; `nil` for the server's first.
    public var database: Int?
    /// What the names of all entries begin with. What follows is the SHA-256 of the key, and tells no name.
    public var prefix = "gateway:token:"
    /// Whether a server that is not on this machine may be spoken to without TLS. See the note on secrecy.
    public var allowsPlaintextNetwork = false
    /// How long connecting may take, without resolving the name; up to a day.
    public var connectTimeout: Duration = .seconds(2)
    /// How long a command may take: far more than a server in the same network needs; up to a day.
    public var commandTimeout: Duration = .seconds(2)
    /// How long a lock outlives a holder that died. A holder that lives renews it three times in that time, so this is
    /// how long its process may be stopped without losing it. From 1 ms to a day; other values count as the nearer one.
    ///
    /// Before a single-use request is sent the lock is extended once, to the end of
    /// ``GatewayAuth/TokenRefreshPolicy/exchangeTimeout`` and two seconds more: a process that is stopped meanwhile does
    /// not lose it, and of one that is killed between sending and storing it lasts as long. Until then the others
    /// get the code `tokenStoreFailed`, with a `retryAfter`.
    public var lockLifetime: Duration = .seconds(10)

    /// A directory on this machine that remembers which records the server had, without secrets: one small file per key,
    /// under the rules of `FileTokenStore`. It must outlive the process. With it, a process that starts after the server
    /// has lost its data (`FLUSHALL`, a restored backup) does not send the first refresh token again, which may have been
    /// replaced long ago: the code is `reauthenticationRequired`. A directory belongs to one server, database and
    /// ``prefix``. `nil` for none.
    public var witnessDirectory: String?

    /// The defaults: the server on this machine.
    public init() {}

    var isLocal: Bool {
        socketPath != nil || host == "localhost" || host == "::1"
            || (host.hasPrefix("127.") && host.utf8.allSatisfy { "0123456789.".utf8.contains($0) })
    }
}
