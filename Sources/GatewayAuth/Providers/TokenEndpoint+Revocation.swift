extension TokenEndpoint {
    /// Whether a revocation endpoint is known (RFC 7009).
    package var canRevoke: Bool { revocation != nil }
}
