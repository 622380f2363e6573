import GatewayCore

/// What a response demands of the nonce in a DPoP proof, where it demands one (RFC 9449 §8).
enum NonceDemand {
    /// The request had no proof.
    case noProof
    /// The response has no nonce that can be used.
    case missing
    /// The one that the proof had.
    case repeated
    /// Another one.
    case new

    /// - Parameters:
    ///   - fields: the header fields of the response.
    ///   - nonce: the nonce in the proof of its request.
    init(_ fields: HTTPFields, after nonce: String?) {
        guard let demanded = DPoPBinding.nonce(in: fields) else {
            self = .missing
            return
        }
        self = demanded == nonce ? .repeated : .new
    }

    /// What the endpoint does, as the rest of a sentence.
    var fact: String {
        switch self {
        case .noProof: "requires a DPoP proof"
        case .missing: "requires a DPoP nonce and sends none that can be used"
        case .repeated: "requires a DPoP nonce that the proof already had"
        case .new: "requires another DPoP nonce after each proof"
        }
    }
}
