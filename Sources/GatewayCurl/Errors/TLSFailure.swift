/// Descriptions of TLS failures that cannot contain secrets: our own texts, and fixed reasons of OpenSSL.
///
/// libcurl's own texts contain names of files and hosts and are never passed on.
enum TLSFailure {
    /// The problem of a server's certificate, and advice.
    struct Certificate: Hashable {
        let reason: String
        let advice: String
    }

    /// The meaning of the result of verifying a certificate chain (`X509_V_ERR_…` of OpenSSL).
    static func certificate(verifyResult: Int) -> Certificate {
        switch verifyResult {
        case 9:
            Certificate(
                reason: "certificate is not yet valid",
                advice: "Check the clock of this machine and the certificate's dates.")
        case 10:
            Certificate(
                reason: "certificate has expired",
                advice: "Renew it on the server, or check the clock of this machine.")
        case 18: Certificate(reason: "self-signed certificate", advice: trust)
        case 19: Certificate(reason: "self-signed certificate in the chain", advice: trust)
        case 2, 20, 21: Certificate(reason: "unknown CA", advice: trust)
        case 23:
            Certificate(reason: "certificate has been revoked", advice: "Replace it on the server.")
        case 24, 79: Certificate(reason: "invalid CA certificate in the chain", advice: replace)
        case 25: Certificate(reason: "certificate chain is too long", advice: replace)
        case 26: Certificate(reason: "certificate is not for server authentication", advice: replace)
        case 27, 28: Certificate(reason: "certificate is rejected by the trust store", advice: replace)
        case 66, 67: Certificate(reason: "key in the certificate chain is too weak", advice: replace)
        case 68: Certificate(reason: "signature in the certificate chain is too weak", advice: replace)
        default:
            Certificate(reason: "certificate cannot be verified (result \(verifyResult))", advice: replace)
        }
    }

    /// Whether a verification result means that the issuer of the certificate is not trusted.
    static func isUnknownIssuer(verifyResult: Int) -> Bool { [2, 20, 21].contains(verifyResult) }

    private static let trust = "If the server is right, add its CA certificate to caFile."
    private static let replace = "Replace the certificate on the server."

    /// Whether libcurl's text means that the certificate is for another host.
    static func isHostMismatch(_ text: String) -> Bool {
        text.contains("matches target ") || text.contains("does not match target ")
    }

    /// OpenSSL's reason in libcurl's text, such as `wrong version number` or `tlsv13 alert certificate required`; `nil`
    /// if there is none, as with other TLS libraries.
    ///
    /// The reasons are constants of OpenSSL. As a precaution only ASCII letters, digits, spaces and hyphens are used,
    /// and at most 64 characters.
    static func handshakeReason(_ text: String) -> String? {
        guard let mark = text.firstRange(of: "SSL routines:") else { return nil }
        // OpenSSL 1.1 has a function name in between, OpenSSL 3 has an empty text.
        guard let colon = text[mark.upperBound...].firstIndex(of: ":") else { return nil }
        let reason = text[text.index(after: colon)...].prefix { character in
            switch character {
            case "a"..."z", "A"..."Z", "0"..."9", " ", "-": character.isASCII
            default: false
            }
        }.prefix(64)
        return reason.isEmpty ? nil : String(reason)
    }

    /// The names in the text of a certificate's extension `Subject Alternative Name`, such as `DNS:a.example, IP
    /// Address:127.0.0.1`: of the first three entries, those with only characters of host names and addresses.
    static func names(_ extensionText: String) -> [String] {
        extensionText.split(separator: ",").prefix(3).compactMap { entry in
            guard let colon = entry.firstIndex(of: ":") else { return nil }
            let name = entry[entry.index(after: colon)...]
            let isName = name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"), UInt8(ascii: "*"), UInt8(ascii: ":"):
                    true
                default: false
                }
            }
            return isName && !name.isEmpty && name.utf8.count <= 253 ? String(name) : nil
        }
    }
}
