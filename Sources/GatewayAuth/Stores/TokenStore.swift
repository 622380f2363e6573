public import GatewayCore

/// Stores refresh tokens, so that they outlive the process and several processes can share them.
///
/// Give one to ``TokenRefreshCoordinator``: each refresh then locks the key, reads it again, and sends no request if
/// another process has refreshed the token in the meantime.
///
/// **Implementing a store.** It has three operations, each for one key:
/// - ``load(_:)`` returns the complete record that was stored last.
/// - ``store(_:for:replacing:)`` compares and swaps, atomically across all processes. This rejects late writers: a
///   holder can lose its lock without noticing.
/// - ``lock(_:deadline:)`` gives the key to one holder at a time, across all processes. The lock of a process that has
///   ended is released; a slow holder does not lose it while its process runs. A lock that expires is extended by
///   ``TokenStoreLock/prepare(until:)``.
///
/// **Lost records.** A refresh token that was replaced must not be sent again: many servers treat that as theft and
/// revoke the whole grant (RFC 9700 §4.14.2). A store that detects that a record was lost, damaged or replaced by an
/// older one returns a record with the content ``StoredToken/Content/lost`` and the generation of the lost record. It
/// is replaced like any other record. `nil` means that there never was a record.
///
/// A store must not block a thread of Swift's pool, and must not print a record. It throws ``GatewayCore/NetworkError``
/// with the code `tokenStoreFailed` if an operation fails, and `misconfigured` or `insecureOrigin` if its configuration
/// must be changed. The test kit has a conformance suite.
public protocol TokenStore: Sendable {
    /// Whether records outlive the process, so that a login in the store identifies an account in later processes too
    /// (``GatewayCore/CredentialIdentity/account``). Defaults to `true`.
    var isDurable: Bool { get }

    /// Returns the record of a key; `nil` if there is none.
    func load(_ key: TokenKey) async throws(NetworkError) -> StoredToken?

    /// Replaces a record if the stored generation matches. When this returns `true`, the record is as durable as the
    /// store.
    ///
    /// After an error the record may or may not be stored; the caller loads it to find out.
    ///
    /// - Parameters:
    ///   - record: the new record; its generation is greater than the replaced one. A generation above
    ///     ``StoredToken/lastGeneration`` is refused with the code `tokenStoreFailed`.
    ///   - key: the key of the record.
    ///   - generation: the generation of the replaced record; 0 for none.
    /// - Returns: whether it was stored; `false` if the stored generation differs.
    func store(
        _ record: StoredToken, for key: TokenKey, replacing generation: UInt64
    ) async throws(NetworkError) -> Bool

    /// Waits until the key is not locked, and locks it.
    ///
    /// - Parameters:
    ///   - key: the key to lock. Different keys do not wait for each other.
    ///   - deadline: when to give up.
    /// - Throws: `tokenStoreFailed` when the deadline passes; `cancelled` when the task is cancelled.
    func lock(_ key: TokenKey, deadline: Deadline) async throws(NetworkError) -> any TokenStoreLock
}

extension TokenStore {
    /// `true`.
    public var isDurable: Bool { true }
}

/// The lock of a key in a ``TokenStore``.
public protocol TokenStoreLock: Sendable {
    /// Whether it is still held, as far as this is known without waiting.
    var isHeld: Bool { get }

    /// Prepares for a request whose grant will be stored. It is called immediately before the request is sent, because
    /// a refresh token may be usable only once:
    /// - The lock must still be held, and there must be space for the next record, as far as that can be known: a store
    ///   may reserve disk space, for example.
    /// - With a deadline the request is single-use (``TokenAcquirer/isSingleUse(after:)``): the lock lasts at least
    ///   until the deadline, even if its holder's process is suspended, unless it is released earlier. If the holder is
    ///   killed, the lock may last until the deadline, too. A lock that lasts until its process ends needs no
    ///   extension.
    ///
    /// - Parameter deadline: how long the lock must last; `nil` for a request that can be repeated.
    /// - Throws: `tokenStoreFailed` if the lock was lost or cannot be extended, or if there is no space. Then nothing
    ///   is sent.
    func prepare(until deadline: Deadline?) async throws(NetworkError)

    /// Releases the lock. Releasing it again does nothing, and it never releases another holder's lock. It does not
    /// fail: a lock that cannot be released must expire.
    func release() async
}

extension NetworkError {
    /// A lock that its holder no longer has.
    package static var lockLost: NetworkError {
        storeFailed("The lock of the token was lost before the token was renewed.")
    }

    /// An operation of the store has failed.
    package static func storeFailed(_ message: String) -> NetworkError {
        NetworkError(.tokenStoreFailed, message)
    }

    /// The store does not replace a record although its generation matches.
    package static var storeRefuses: NetworkError {
        storeFailed("The token store did not replace its record: its compare-and-swap is not correct.")
    }

    /// Another holder has locked the key until the deadline.
    package static var storeIsBusy: NetworkError {
        storeFailed("Another process held the lock of the token for too long.")
    }

    /// The task that waited for a lock was cancelled.
    package static var lockCancelled: NetworkError {
        NetworkError(.cancelled, "The task was cancelled while it waited for the lock of the token.")
    }
}
