package import GatewayCore

extension Origin {
    /// Throws if the origin of an endpoint for tokens or keys is not `https`, a loopback address, or a host that is
    /// listed with its complete name. Host names, including `localhost`, are not accepted as loopback, because they can
    /// resolve to any address.
    ///
    /// - Parameters:
    ///   - subject: the endpoint, as the subject of the error message.
    ///   - hosts: the hosts that may use plain HTTP; entries with a suffix are ignored. `nil`: no exceptions.
    func refuseInsecureEndpoint(
        _ subject: StaticString, allowing hosts: PlainHTTPHosts?
    ) throws(NetworkError) {
        guard scheme == .https || isLoopback && host != "localhost" || hosts?.names(self) == true else {
            throw NetworkError(
                .insecureOrigin,
                host == "localhost"
                    ? "\(subject) over plain HTTP needs a literal loopback address: "
                        + "write 127.0.0.1 or [::1] in place of localhost."
                    : "\(subject) must use https; plain HTTP is allowed to 127.0.0.1 and [::1]"
                        + (hosts == nil ? "." : ", and to hosts that plainHTTP lists by their full name."),
                origin: self)
        }
    }
}

extension ParsedURL {
    /// Parses the URL of an endpoint, which has no fragment (RFC 6749 §3.1, §3.2).
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `invalidURL`.
    package init(endpoint url: String) throws(NetworkError) {
        self = try ParsedURL(url)
        guard !url.utf8.contains(UInt8(ascii: "#")) else {
            throw NetworkError(
                .invalidURL, "The URL of an endpoint must not have a fragment.", origin: origin)
        }
    }
}
