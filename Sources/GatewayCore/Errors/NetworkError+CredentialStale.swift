extension NetworkError.Code {
    /// The credential was replaced before the request was sent: while it was stamped, or while the transport had no
    /// connection for it. It never leaves ``AttemptEngine``.
    package static let credentialStale = Self("credential_stale", category: .authentication)
}
