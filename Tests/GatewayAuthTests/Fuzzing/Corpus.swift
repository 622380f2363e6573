import FuzzCorpora
import GatewayCore

/// The entries of a file beside this one: malformed, forged and odd inputs, each with something in it that nobody may
/// print.
enum Corpus: String {
    case tokens, challenges
    case tokenResponses = "token-responses"
    case keySets = "key-sets"

    /// What stands for the secret.
    static let canary = "c4n4ry"

    /// The canary as it shows in text and, wherever it begins, in Base64 of either alphabet.
    static let marks =
        [canary]
        + (0..<3).map { offset in
            let text = Base64.encodeURL(Array(repeating: 0, count: offset) + Array(canary.utf8))
            return String(text.dropFirst(offset == 0 ? 0 : offset + 1).dropLast(offset == 0 ? 0 : 1))
        }

    func entries() throws -> [[UInt8]] { try CorpusFile(rawValue).entries() }
}
