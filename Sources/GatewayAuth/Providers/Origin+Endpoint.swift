import GatewayCore

extension Origin {
    /// Refuses an endpoint that tokens or keys come from, unless it is reached over https or at a loopback literal. A
    /// name, even localhost, is what a resolver makes of it.
    ///
    /// - Parameter subject: how the error's sentence begins.
    func refuseInsecureEndpoint(_ subject: StaticString) throws(NetworkError) {
        guard scheme == .https || isLoopback && host != "localhost" else {
            throw NetworkError(
                .insecureOrigin, "\(subject) over https, or at a loopback address.", origin: self)
        }
    }
}
