import GatewayCore

extension Origin {
    /// Refuses the origin of an endpoint for tokens or keys, unless it is `https`, a loopback literal, or a host that is
    /// listed by its full name. Any other name, even `localhost`, may resolve to any address.
    ///
    /// - Parameters:
    ///   - subject: the endpoint, as the beginning of the error's message.
    ///   - hosts: the hosts that are excepted; a suffix excepts none. `nil`: there is no exception.
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
