/// A value that must not be printed: a token, a client secret, an assertion.
///
/// Descriptions, dumps, mirrors and string interpolation show `<redacted>`; only ``exposed`` gives the value.
public struct Secret: Sendable, Hashable {
    /// The value itself. Hand it to what needs it and to nothing that prints.
    public let exposed: String

    /// Wraps a value.
    public init(_ value: String) { self.exposed = value }

    /// Compares in a time that depends on the lengths alone.
    public static func == (a: Secret, b: Secret) -> Bool {
        let (x, y) = (a.exposed.utf8, b.exposed.utf8)
        guard x.count == y.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(x, y) { difference |= left ^ right }
        return difference == 0
    }

    /// Whether there is nothing in it.
    public var isEmpty: Bool { exposed.isEmpty }
}

extension Secret: Redacted {
    /// What may be printed.
    public var description: String { "<redacted>" }
}
