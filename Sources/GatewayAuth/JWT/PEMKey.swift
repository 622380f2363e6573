import CLibcrypto
import GatewayCore

/// What libcrypto says about a key in PEM text. libjwt itself checks neither the curve nor the size.
struct PEMKey {
    enum Kind { case rsa, ellipticCurve, other }

    let kind: Kind
    let bits: Int
    /// OpenSSL's name of the curve.
    let curve: String?
    let isPrivate: Bool

    init(_ text: String) throws(NetworkError) {
        defer { ERR_clear_error() }
        var bytes = Array(text.utf8)
        let parsed: (pointer: OpaquePointer, isPrivate: Bool)? = unsafe bytes.withUnsafeMutableBytes { raw in
            if let key = unsafe Self.read(raw, isPrivate: true) { return unsafe (key, true) }
            return unsafe Self.read(raw, isPrivate: false).map { unsafe ($0, false) }
        }
        guard let (key, isPrivate) = unsafe parsed else {
            throw NetworkError(.credentialMisconfigured, "The PEM text holds no readable key.")
        }
        defer { unsafe EVP_PKEY_free(key) }
        self.isPrivate = isPrivate
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

    /// Nobody is asked for a passphrase: the callback gives none.
    private static func read(_ raw: UnsafeMutableRawBufferPointer, isPrivate: Bool) -> OpaquePointer? {
        guard let bio = unsafe BIO_new_mem_buf(raw.baseAddress, Int32(raw.count)) else { return nil }
        defer { unsafe BIO_free(bio) }
        return isPrivate
            ? unsafe PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
            : unsafe PEM_read_bio_PUBKEY(bio, nil, { _, _, _, _ in -1 }, nil)
    }
}
