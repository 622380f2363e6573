import Foundation

/// What stands for a secret in every specimen, and the forms in which it would be found again.
enum Marker {
    /// No name and no message has it in it. `#` must be percent-encoded in URLs.
    static let text = "MARKER#hunter2"
    /// The same for where only a token (RFC 9110) or a part of a URL may stand.
    static let token = "MARKER-hunter2"
    static let bytes = Array(text.utf8)

    /// What must not be printed, in lower case.
    private static let forms: [String] = {
        var forms = ["hunter2"]
        for secret in [text, token, "hunter2"] {
            let bytes = Array(secret.utf8)
            forms.append(bytes.map { "\($0)" }.joined(separator: ", "))
            forms.append(bytes.map { String($0, radix: 16) }.joined())
            forms.append(bytes.map { "%" + String($0, radix: 16) }.joined())
            // Base64 looks different at each of three positions in what was encoded.
            for shift in 0..<3 {
                let padded = [UInt8](repeating: 0, count: shift) + bytes
                let whole = padded.dropLast(padded.count % 3)
                forms.append(String(Data(whole).base64EncodedString().dropFirst(shift == 0 ? 0 : 4)))
            }
        }
        return forms.map { $0.lowercased() }
    }()

    /// The forms of the markers that a text holds.
    static func found(in text: String) -> [String] {
        let text = text.lowercased()
        return forms.filter { text.contains($0) }
    }
}

func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
