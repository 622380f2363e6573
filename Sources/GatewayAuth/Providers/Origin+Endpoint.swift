import GatewayCore

extension Origin {
    /// Refuses an endpoint that tokens or keys come from, unless it is reached over https, at a loopback literal, or on a
    /// host that is listed by its full name. A name, even localhost, is what a resolver makes of it.
    ///
    /// - Parameters:
    ///   - subject: how the error's sentence begins.
    ///   - hosts: the hosts that are excepted; a suffix excepts none.
    func refuseInsecureEndpoint(
        _ subject: StaticString, allowing hosts: PlainHTTPHosts = .none
    ) throws(NetworkError) {
        guard scheme == .https || isLoopback && host != "localhost" || hosts.names(self) else {
            throw NetworkError(
                .insecureOrigin,
                host == "localhost"
                    ? "\(subject) over https, or at a loopback address: write 127.0.0.1 in place of localhost."
                    : "\(subject) over https, or at a loopback address. Where a service mesh encrypts, list \(host) "
                        + "by its full name in plainHTTP.", origin: self)
        }
    }
}
