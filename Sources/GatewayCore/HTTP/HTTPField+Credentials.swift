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
        let name = rawName.utf8Span.span
        for index in name.indices {
            let isFound =
                switch HTTPSyntax.lowercase(name[index]) {
                case UInt8(ascii: "a"):
                    Self.begins(name, index, "auth") || Self.begins(name, index, "api-key")
                        || Self.begins(name, index, "api_key")
                        || Self.begins(name, index, "apikey") || Self.begins(name, index, "access-key")
                case UInt8(ascii: "b"): Self.begins(name, index, "bearer")
                case UInt8(ascii: "c"): Self.begins(name, index, "cookie") || Self.begins(name, index, "csrf")
                case UInt8(ascii: "f"): Self.begins(name, index, "functions-key")
                case UInt8(ascii: "j"): Self.begins(name, index, "jwt")
                case UInt8(ascii: "p"): Self.begins(name, index, "password")
                case UInt8(ascii: "s"):
                    Self.begins(name, index, "secret") || Self.begins(name, index, "session")
                        || Self.begins(name, index, "signature")
                        || Self.begins(name, index, "subscription-key")
                case UInt8(ascii: "t"): Self.begins(name, index, "token")
                case UInt8(ascii: "x"): Self.begins(name, index, "xsrf")
                default: false
                }
            if isFound { return true }
        }
        return false
    }

    /// Whether a word is at a place, ignoring case. The word is in lower case.
    private static func begins(_ name: Span<UInt8>, _ start: Int, _ word: String) -> Bool {
        var index = start
        for byte in word.utf8 {
            guard index < name.count, HTTPSyntax.lowercase(name[index]) == byte else { return false }
            index += 1
        }
        return true
    }
}
