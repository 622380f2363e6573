import GatewayCore
import GatewayJSON

/// Reads the members of a JSON Web Key.
struct JSONWebKeyReader {
    private let members: [String: JSONValue]

    init(_ json: JSONValue) throws(JSONWebKeyError) {
        guard let members = json.object else {
            throw JSONWebKeyError(.malformed, "A key is a JSON object.")
        }
        self.members = members
    }

    /// Whether there are members of private keys (RFC 7518 §6.2.2, §6.3.2).
    var isPrivate: Bool { ["d", "p", "q", "dp", "dq", "qi", "oth"].contains { members[$0] != nil } }

    /// The string value of an optional member.
    func text(_ name: String) throws(JSONWebKeyError) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.string else {
            throw JSONWebKeyError(.malformed, "The member '\(name)' is not a string.")
        }
        return text
    }

    /// The string value of a required member.
    func requiredText(_ name: String) throws(JSONWebKeyError) -> String {
        guard let text = try text(name) else {
            throw JSONWebKeyError(.malformed, "The member '\(name)' is missing.")
        }
        return text
    }

    /// Rejects keys that are not for verifying: `use` (RFC 7517 §4.2) and `key_ops` (§4.3). A key that lists signing
    /// without verifying is a private key.
    func checkUse() throws(JSONWebKeyError) {
        if let use = try text("use"), use != "sig" {
            throw JSONWebKeyError(.notForVerifying, "The key is not for signatures.")
        }
        guard let operations = members["key_ops"] else { return }
        guard let elements = operations.array, elements.allSatisfy({ $0.string != nil }),
            Set(elements).count == elements.count
        else { throw JSONWebKeyError(.malformed, "The operations are not an array of unique strings.") }
        guard elements.contains("verify") else {
            throw JSONWebKeyError(.notForVerifying, "The key is not for verifying.")
        }
    }

    /// `alg` (RFC 7517 §4.4).
    func algorithm() throws(JSONWebKeyError) -> JSONWebTokenAlgorithm? {
        guard let name = try text("alg") else { return nil }
        guard let algorithm = JSONWebTokenAlgorithm(rawValue: name) else {
            throw JSONWebKeyError(.unsupported, "The key's algorithm is not supported.")
        }
        return algorithm
    }

    // MARK: Kinds

    /// Encodes an RSA public key (RFC 7518 §6.3.1) as PEM text.
    func rsa() throws(JSONWebKeyError) -> Secret {
        // Some issuers add an incorrect leading zero.
        let modulus = Array(try bytes("n").drop { $0 == 0 })
        let exponent = Array(try bytes("e").drop { $0 == 0 })
        // With exponent 1 a message is its own signature. A huge exponent makes verifying slow.
        guard let last = exponent.last, last & 1 == 1, exponent != [1], exponent.count <= 8 else {
            throw JSONWebKeyError(
                .unsuitable, "The exponent is not an odd number of at least 3 and at most 8 bytes.")
        }
        // Larger moduli make verifying too slow.
        guard modulus.count >= 256, modulus.count <= 1024, modulus.last.map({ $0 & 1 }) == 1 else {
            throw JSONWebKeyError(.unsuitable, "The modulus is not an odd number of 2048 to 8192 bits.")
        }
        return PublicKeyInfo.rsa(modulus: modulus, exponent: exponent)
    }

    /// Encodes an elliptic-curve public key (RFC 7518 §6.2.1) as PEM text. Both coordinates must have the full length.
    func point() throws(JSONWebKeyError) -> Secret {
        guard let curve = PublicKeyInfo.Curve(rawValue: try requiredText("crv")) else {
            throw JSONWebKeyError(.unsupported, "The curve is not supported.")
        }
        let (x, y) = (try bytes("x"), try bytes("y"))
        guard x.count == curve.coordinateBytes, y.count == curve.coordinateBytes else {
            throw JSONWebKeyError(.malformed, "A coordinate has too few or too many bytes.")
        }
        return PublicKeyInfo.point(curve, x: x, y: y)
    }

    /// The bytes of a shared secret (RFC 7518 §6.4.1).
    func secret() throws(JSONWebKeyError) -> [UInt8] { try bytes("k") }

    private func bytes(_ name: String) throws(JSONWebKeyError) -> [UInt8] {
        guard let bytes = Base64.decodeURL(try requiredText(name).utf8), !bytes.isEmpty else {
            throw JSONWebKeyError(.malformed, "The member '\(name)' is not base64url.")
        }
        return bytes
    }
}
