import CLibcrypto
import GatewayCore

/// A key of PEM text as libcrypto reads it, read once and kept: reading takes longer than signing does.
///
/// `@unchecked`: the pointer never changes and nobody writes to the key, and such a key any number of threads may use at
/// once, each with a context of its own (openssl-threads(7)).
@safe final class PEMKey: @unchecked Sendable {
    enum Kind { case rsa, ellipticCurve, other }

    let kind: Kind
    let bits: Int
    /// OpenSSL's name of the curve.
    let curve: String?
    let isPrivate: Bool
    private let pointer: OpaquePointer

    init(_ text: String) throws(NetworkError) {
        defer { ERR_clear_error() }
        let bytes = Array(text.utf8)
        let secret = unsafe Self.read(bytes, isPrivate: true)
        guard let key = unsafe secret ?? Self.read(bytes, isPrivate: false) else {
            throw NetworkError(.credentialMisconfigured, "The PEM text has no readable key.")
        }
        unsafe pointer = key
        isPrivate = unsafe secret != nil
        bits = Int(unsafe EVP_PKEY_get_bits(key))
        switch unsafe EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_RSA: kind = .rsa
        case EVP_PKEY_EC: kind = .ellipticCurve
        default: kind = .other
        }
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        let found = unsafe name.withUnsafeMutableBufferPointer {
            unsafe EVP_PKEY_get_group_name(key, $0.baseAddress, $0.count, &length) == 1
        }
        curve =
            found && length < name.count
            ? String(decoding: name[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// Lends libcrypto's key, which lives as long as the body runs.
    @safe func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        withExtendedLifetime(self) { unsafe body(pointer) }
    }

    /// The key of a PEM text, to be freed by the caller. Nobody is asked for a passphrase: the callback gives none.
    private static func read(_ text: [UInt8], isPrivate: Bool) -> OpaquePointer? {
        unsafe text.withUnsafeBytes { raw in
            guard let bio = unsafe BIO_new_mem_buf(raw.baseAddress, Int32(raw.count)) else { return nil }
            defer { unsafe BIO_free(bio) }
            return isPrivate
                ? unsafe PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
                : unsafe PEM_read_bio_PUBKEY(bio, nil, { _, _, _, _ in -1 }, nil)
        }
    }
}
