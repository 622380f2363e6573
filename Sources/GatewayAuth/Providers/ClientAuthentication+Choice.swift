import GatewayCore

/// The style by the server's metadata.
extension ClientAuthentication {
    /// The registered methods (RFC 7591 §2, RFC 8705 §2.1, §2.2). An error names no other: a server wrote those.
    private static let registered = [
        "client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt",
        "tls_client_auth",
        "self_signed_tls_client_auth", "none",
    ]

    /// This client with the style that the server supports. A style that was set explicitly is not changed: servers may
    /// support more than they list, public clients above all.
    ///
    /// - Parameter metadata: the server's.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMisconfigured` if none fits.
    func chosen(by metadata: AuthorizationServerMetadata) throws(NetworkError) -> ClientAuthentication {
        let styles = automaticStyles
        guard !styles.isEmpty, let supported = metadata.clientAuthenticationMethods,
            !supported.isEmpty
        else { return self }
        if let style = styles.first(where: { supported.contains($0.method) }) { return style.client }
        let others = supported.count { !Self.registered.contains($0) }
        let names = Self.registered.filter(supported.contains) + (others == 0 ? [] : ["\(others) unknown"])
        throw NetworkError(
            .credentialMisconfigured,
            "The authorization server does not support \(styles.map(\.method).joined(separator: " or ")). "
                + "It supports: \(names.joined(separator: ", ")).")
    }
}
