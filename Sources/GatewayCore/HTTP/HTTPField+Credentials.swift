// The only list of names of credential fields. Redirects have a list of allowed fields instead.
extension HTTPField.Name {
    /// Whether a field with this name may hold a credential: the name contains `auth`, `cookie`, `token`, `secret`,
    /// `session`, `signature`, `password`, `bearer`, `jwt`, `csrf`, `xsrf`, `api-key`, `access-key`, `functions-key` or
    /// `subscription-key` in any case, or is `DPoP`. Challenges are public (`WWW-Authenticate`, `Proxy-Authenticate`,
    /// RFC 9110 §11.6.1).
    package var namesCredential: Bool {
        guard containsCredentialWord else { return self == "DPoP" }
        return self != .wwwAuthenticate && self != "Proxy-Authenticate"
    }

    private var containsCredentialWord: Bool {
        let name = rawName.utf8
        var index = name.startIndex
        while index < name.endIndex {
            let rest = name[index...]
            let isFound =
                switch HTTPSyntax.lowercase(name[index]) {
                case UInt8(ascii: "a"):
                    Self.begins(rest, "auth") || Self.begins(rest, "api-key") || Self.begins(rest, "api_key")
                        || Self.begins(rest, "apikey") || Self.begins(rest, "access-key")
                case UInt8(ascii: "b"): Self.begins(rest, "bearer")
                case UInt8(ascii: "c"): Self.begins(rest, "cookie") || Self.begins(rest, "csrf")
                case UInt8(ascii: "f"): Self.begins(rest, "functions-key")
                case UInt8(ascii: "j"): Self.begins(rest, "jwt")
                case UInt8(ascii: "p"): Self.begins(rest, "password")
                case UInt8(ascii: "s"):
                    Self.begins(rest, "secret") || Self.begins(rest, "session")
                        || Self.begins(rest, "signature") || Self.begins(rest, "subscription-key")
                case UInt8(ascii: "t"): Self.begins(rest, "token")
                case UInt8(ascii: "x"): Self.begins(rest, "xsrf")
                default: false
                }
            if isFound { return true }
            name.formIndex(after: &index)
        }
        return false
    }

    /// Whether the text starts with a word, ignoring case. The word is in lower case.
    private static func begins(_ text: Substring.UTF8View, _ word: String) -> Bool {
        var bytes = text.makeIterator()
        for byte in word.utf8 {
            guard let next = bytes.next(), HTTPSyntax.lowercase(next) == byte else { return false }
        }
        return true
    }
}
