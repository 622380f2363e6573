import CLibcrypto

/// The state of libcrypto, which all modules of a process share.
package enum Libcrypto {
    /// Has libcrypto leave its tables in place at the end of the process: threads that still work when it ends, such as those of
    /// Swift's pool, would use them after they were freed. It counts if nothing of OpenSSL was used before.
    package static func prepare() { _ = isPrepared }

    private static let isPrepared = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}
