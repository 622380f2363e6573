import CLibjwt
public import GatewayCore
public import GatewayJSON
private import GatewayLibC

extension JSONWebToken {
    /// Signs claims.
    ///
    /// The header contains `alg`, `typ`, and `kid` if a key ID is given.
    ///
    /// - Parameters:
    ///   - claims: the members of the payload.
    ///   - key: a key that can sign.
    ///   - keyID: the identifier that verifiers use to find the key.
    ///   - type: the type of the token.
    /// - Returns: the token in compact form, at most ``maximumBytes`` bytes.
    /// - Throws: ``GatewayCore/NetworkError`` with code `credentialMisconfigured`.
    public static func sign(
        claims: [String: JSONValue], key: JSONWebTokenKey, keyID: String? = nil,
        type: JSONWebTokenType = .jwt
    ) throws(NetworkError) -> Secret {
        guard let bytes = try? claims.jsonBytes() else {
            throw NetworkError(.credentialMisconfigured, "The claims cannot be written as JSON.")
        }
        if type == .jwt {
            return try sign(claimsJSON: String(decoding: bytes, as: UTF8.self), key: key, keyID: keyID)
        }
        var header: [String: JSONValue] = ["alg": .string(key.algorithm.rawValue), "typ": .string(type.name)]
        if let keyID { header["kid"] = .string(keyID) }
        return try sign(header: header, payload: bytes, key: key)
    }

    /// Signs with libcrypto, because libjwt 1 supports only `typ` `JWT`.
    static func sign(
        header: [String: JSONValue], payload: [UInt8], key: JSONWebTokenKey
    ) throws(NetworkError) -> Secret {
        guard let head = try? header.jsonBytes() else {
            throw NetworkError(.credentialMisconfigured, "The header cannot be written as JSON.")
        }
        let text = Base64.encodeURL(head) + "." + Base64.encodeURL(payload)
        guard let signature = JSONWebSignature.make(Array(text.utf8), key: key) else {
            throw NetworkError(
                .credentialMisconfigured, "The key could not sign with \(key.algorithm.rawValue).")
        }
        let token = text + "." + Base64.encodeURL(signature)
        guard token.utf8.count <= maximumBytes else {
            throw NetworkError(
                .credentialMisconfigured, "The claims are too long for a token of \(maximumBytes) bytes.")
        }
        return Secret(token)
    }

    /// Signs claims (RFC 7515 §7.1).
    ///
    /// The header contains `alg`, `typ` with the value `JWT`, and `kid` if a key ID is given.
    ///
    /// - Parameters:
    ///   - claims: the text of a JSON object without duplicate keys. Integers must fit 64 bits.
    ///   - key: a key that can sign.
    ///   - keyID: the identifier that verifiers use to find the key.
    /// - Returns: the token in compact form, at most ``maximumBytes`` bytes.
    /// - Throws: ``GatewayCore/NetworkError`` with code `credentialMisconfigured`.
    public static func sign(
        claimsJSON claims: String, key: JSONWebTokenKey, keyID: String? = nil
    ) throws(NetworkError) -> Secret {
        func failure(_ message: String) -> NetworkError { NetworkError(.credentialMisconfigured, message) }

        guard key.canSign else { throw failure("A public key cannot sign.") }
        // Base64 adds a third, and header and signature are added. Checked first, because libjwt keeps tokens on the
        // stack.
        guard claims.utf8.count + (keyID?.utf8.count ?? 0) <= maximumBytes * 5 / 8 else {
            throw failure("The claims are too long for a token of \(maximumBytes) bytes.")
        }
        // A C string ends at NUL; the rest would be dropped without an error.
        guard !claims.utf8.contains(0), keyID?.utf8.contains(0) != true else {
            throw failure("Claims and key IDs must not contain NUL.")
        }

        var pointer: OpaquePointer?
        guard unsafe jwt_new(&pointer) == 0, let token = unsafe pointer else {
            throw failure("The token could not be made.")
        }
        defer { unsafe jwt_free(token) }
        guard unsafe jwt_add_grants_json(token, claims) == 0 else {
            throw failure("The claims are not a JSON object with unique keys.")
        }
        if let keyID {
            guard unsafe jwt_add_header(token, "kid", keyID) == 0 else {
                throw failure("The key ID (`kid`) is not a string.")
            }
        }
        let isSet = unsafe key.material.withUnsafeBufferPointer {
            unsafe jwt_set_alg(token, key.algorithm.libjwt, $0.baseAddress, Int32($0.count)) == 0
        }
        guard isSet, unsafe jwt_get_alg(token) == key.algorithm.libjwt,
            let encoded = unsafe jwt_encode_str(token)
        else { throw failure("The key could not sign with \(key.algorithm.rawValue).") }
        defer { unsafe free(encoded) }
        let text = unsafe String(cString: encoded)
        guard text.utf8.count <= maximumBytes else {
            throw failure("The claims are too long for a token of \(maximumBytes) bytes.")
        }
        return Secret(text)
    }
}
