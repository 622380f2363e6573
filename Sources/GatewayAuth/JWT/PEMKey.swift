import CLibcrypto
import GatewayCore
import GatewayDigest

/// A libcrypto key from PEM text. It is read once, because reading takes longer than signing.
///
/// `@unchecked`: the pointer and the key never change. Several threads can use such a key at the same time, each with
/// its own context (openssl-threads(7)).
@safe final class PEMKey: @unchecked Sendable {
    enum Kind { case rsa, ellipticCurve, other }

    let kind: Kind
    let bits: Int
    /// OpenSSL's name of the curve.
    let curve: String?
    let isPrivate: Bool
    private let pointer: OpaquePointer

    init(_ text: String) throws(NetworkError) {
        Libcrypto.prepare()
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

    /// Calls the body with libcrypto's key, which is valid until the body returns.
    @safe func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        withExtendedLifetime(self) { unsafe body(pointer) }
    }

    /// The key of a PEM text, to be freed by the caller. The callback provides no passphrase, so libcrypto does not
    /// prompt.
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
