import GatewayCore

/// Selecting the style from the server's metadata.
extension ClientAuthentication {
    /// The registered methods (RFC 7591 §2, RFC 8705 §2.1, §2.2). Error messages contain only these names, because
    /// other names are text of the server.
    private static let registered = [
        "client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt",
        "tls_client_auth",
        "self_signed_tls_client_auth", "none",
    ]

    /// A copy with a style that the server supports. A style that was set explicitly is not changed, because servers
    /// may support more methods than they list.
    ///
    /// - Parameter metadata: the metadata of the server.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMisconfigured` if no style is supported.
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
