import GatewayCore

/// The nonce that a response requires in a DPoP proof (RFC 9449 §8), compared with that of the request.
enum NonceDemand {
    /// The request had no proof.
    case noProof
    /// The response has no valid nonce.
    case missing
    /// The response has the same nonce as the proof.
    case repeated
    /// The response has another nonce.
    case new

    /// - Parameters:
    ///   - fields: the header fields of the response.
    ///   - nonce: the nonce in the proof of the request.
    init(_ fields: HTTPFields, after nonce: String?) {
        guard let demanded = DPoPBinding.nonce(in: fields) else {
            self = .missing
            return
        }
        self = demanded == nonce ? .repeated : .new
    }

    /// The behaviour of the endpoint, as the predicate of a sentence.
    var fact: String {
        switch self {
        case .noProof: "requires a DPoP proof"
        case .missing: "requires a DPoP nonce and sends none that can be used"
        case .repeated: "requires a DPoP nonce that the proof already had"
        case .new: "requires another DPoP nonce after each proof"
        }
    }
}
