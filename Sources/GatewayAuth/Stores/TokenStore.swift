public import GatewayCore

/// Keeps what tokens are renewed with, so that it outlives the process and several processes can share it.
///
/// Give one to ``TokenRefreshCoordinator``: each refresh then locks the key, reads it again, and asks nobody where
/// another process has renewed the token meanwhile.
///
/// **Writing a store.** Three things are asked of it, each for one key at a time:
/// - ``load(_:)`` gives the record that was stored last, whole.
/// - ``store(_:for:replacing:)`` compares and swaps, in one step that no other writer of any process can get between.
///   This is what fences off late writers: a lock can be lost without its holder's knowledge.
/// - ``lock(_:deadline:)`` lets one holder in at a time, of all processes. A holder that died lets the next one in;
///   one that is alive and slow never loses it while its process runs. A lock that ends by itself when its holder is
///   silent is extended by ``TokenStoreLock/prepare(until:)``.
///
/// **Lost records.** A refresh token that was replaced must not be sent again: many servers take that for theft and
/// revoke the whole grant. A store that can tell that a record existed, and that it was lost, damaged or replaced by an
/// older one, gives a record with the content ``StoredToken/Content/lost`` in its place, whose generation is that of the
/// record that was lost. It is replaced like any other record. `nil` means that there never was one.
///
/// A store must not block a thread of Swift's pool, and must not print a record. It throws
/// ``GatewayCore/NetworkError`` with the code `tokenStoreFailed` where it cannot do what it is asked, and `misconfigured`
/// or `insecureOrigin` where it never will. The test kit has a conformance suite.
public protocol TokenStore: Sendable {
    /// Whether records outlive the process, so that a login in the store identifies an account in later processes too
    /// (``GatewayCore/CredentialIdentity/account``). By default `true`.
    var isDurable: Bool { get }

    /// The record of a key; `nil` where there is none.
    func load(_ key: TokenKey) async throws(NetworkError) -> StoredToken?

    /// Stores a record in place of another, if that is still there. When this returns, the record survives the end of
    /// the process, as far as the store survives it.
    ///
    /// After a failure the record may be there or not: whoever needs to know loads it.
    ///
    /// - Parameters:
    ///   - record: what to store; its generation is greater than the one it replaces. One above
    ///     ``StoredToken/lastGeneration`` is refused with the code `tokenStoreFailed`.
    ///   - key: whose record it is.
    ///   - generation: the generation of the record that is replaced; 0 for none.
    /// - Returns: whether it was stored; `false` where the key holds another generation.
    func store(
        _ record: StoredToken, for key: TokenKey, replacing generation: UInt64
    ) async throws(NetworkError) -> Bool

    /// Waits until nobody else holds the key, and holds it.
    ///
    /// - Parameters:
    ///   - key: what to hold. Different keys don't wait for each other.
    ///   - deadline: when to give up.
    /// - Throws: `tokenStoreFailed` when the deadline passes; `cancelled` when the task is cancelled.
    func lock(_ key: TokenKey, deadline: Deadline) async throws(NetworkError) -> any TokenStoreLock
}

extension TokenStore {
    /// `true`.
    public var isDurable: Bool { true }
}

/// A key of a ``TokenStore``, held.
public protocol TokenStoreLock: Sendable {
    /// Whether it is still held, as far as its holder can know without waiting.
    var isHeld: Bool { get }

    /// Prepares for a request whose grant will be stored. It is called right before the request is sent, which cannot be
    /// undone where it spends a refresh token:
    /// - The lock must still be held, and the next record must find room, as far as that can be known: a store
    ///   reserves disk space, say.
    /// - With a deadline the request is single-use (``TokenAcquirer/isSingleUse(after:)``): the lock lasts until the
    ///   deadline at least, even where its holder's process is stopped for a while, unless it is released before. Of a
    ///   holder that was killed it may last as long. A lock that cannot be lost before its process ends needs nothing.
    ///
    /// - Parameter deadline: how long the lock must last; `nil` for a request that can be repeated.
    /// - Throws: `tokenStoreFailed` where the lock was lost, cannot be extended, or there is no room. Then nothing is
    ///   sent.
    func prepare(until deadline: Deadline?) async throws(NetworkError)

    /// Lets the next one in. Doing it again does nothing, and it never ends another holder's lock. It does not fail:
    /// a lock that cannot be given back ends by itself.
    func release() async
}

extension NetworkError {
    /// A lock that its holder no longer has.
    package static var lockLost: NetworkError {
        storeFailed("The lock of the token was lost before the token was renewed.")
    }

    /// The store could not do what it was asked.
    package static func storeFailed(_ message: String) -> NetworkError {
        NetworkError(.tokenStoreFailed, message)
    }

    /// A store that does not replace a record though nobody else has.
    package static var storeRefuses: NetworkError {
        storeFailed("The token store did not replace its record: its compare-and-swap is not correct.")
    }

    /// Somebody else held the key for too long.
    package static var storeIsBusy: NetworkError {
        storeFailed("Another process held the lock of the token for too long.")
    }

    /// Whoever waited for a lock went away.
    package static var lockCancelled: NetworkError {
        NetworkError(.cancelled, "The task was cancelled while it waited for the lock of the token.")
    }
}
