import GatewayCore

/// The freshness lifetime of a response (RFC 9111 §4.2).
enum CacheLifetime {
    /// `max-age` minus `Age`; zero for `no-store` and `no-cache`; `nil` without a valid `max-age`.
    static func told(by fields: HTTPFields) -> Duration? {
        var age: Int64?
        for line in fields.values(for: "Cache-Control") {
            for directive in line.utf8.prefix(4096).split(separator: UInt8(ascii: ",")) {
                let text = String(decoding: directive, as: UTF8.self).trimmingHTTPWhitespace()
                let name = text.prefix { $0 != "=" && $0 != " " }
                if HTTPSyntax.equalIgnoringCase(String(name), "no-store")
                    || HTTPSyntax.equalIgnoringCase(String(name), "no-cache")
                {
                    return .zero
                }
                guard HTTPSyntax.equalIgnoringCase(String(name), "max-age"), text.count > name.count,
                    let seconds = seconds(text.dropFirst(name.count + 1))
                else { continue }
                // If the directive is duplicated, the smaller value is used.
                age = min(age ?? seconds, seconds)
            }
        }
        guard let age else { return nil }
        let passed = fields.values(for: "Age").first.flatMap { seconds($0[...]) } ?? 0
        return .seconds(max(0, age - passed))
    }

    /// Reads `delta-seconds` (RFC 9111 §1.2.2), with or without quotes. Values above 2³¹ are clamped to 2³¹.
    private static func seconds(_ text: Substring) -> Int64? {
        var digits = text.utf8[...]
        if digits.first == UInt8(ascii: "\""), digits.last == UInt8(ascii: "\""), digits.count > 2 {
            digits = digits.dropFirst().dropLast()
        }
        guard !digits.isEmpty, digits.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
        else {
            return nil
        }
        return min(Int64(String(decoding: digits, as: UTF8.self)) ?? 1 << 31, 1 << 31)
    }
}
