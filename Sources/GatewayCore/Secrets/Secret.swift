/// A value that must not be printed: a token, a client secret, an assertion.
///
/// Descriptions, dumps, mirrors and string interpolation show `<redacted>`. Only ``exposed`` returns the value.
public struct Secret: Sendable, Hashable {
    /// The value. Do not print or log it.
    public let exposed: String

    /// Wraps a value.
    public init(_ value: String) { self.exposed = value }

    /// Compares in a time that depends only on the lengths.
    public static func == (a: Secret, b: Secret) -> Bool {
        let (x, y) = (a.exposed.utf8, b.exposed.utf8)
        guard x.count == y.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(x, y) { difference |= left ^ right }
        return difference == 0
    }

    /// Whether the value is empty.
    public var isEmpty: Bool { exposed.isEmpty }
}

extension Secret: Redacted {
    /// Always `<redacted>`.
    public var description: String { "<redacted>" }
}
