/// How a stamped request is handed to a transport that may give it back: with ``NetworkError/Code/credentialStale``, if its
/// credential was replaced while it waited for a connection.
@usableFromInline
package struct Handover: Sendable {
    /// The credential that the request is stamped with.
    package let stamp: CredentialStamp
    /// How long it has waited in earlier handovers of the same attempt; `nil` in the first.
    package let waited: Duration?
    /// Whether it is kept in any case, because it came back too often.
    package let isLast: Bool

    package init(stamp: CredentialStamp, waited: Duration?, isLast: Bool) {
        self.stamp = stamp
        self.waited = waited
        self.isLast = isLast
    }
}
