extension EmbeddedGateway {
    /// Somebody enters a device's code and agrees (RFC 8628 §3.3).
    public func approveDevice(userCode: String, subject: String = "reader") {
        pipeline.authorization.devices.decide(userCode, .approved(subject: subject))
    }

    /// Somebody enters a device's code and refuses.
    public func denyDevice(userCode: String) { pipeline.authorization.devices.decide(userCode, .denied) }

    /// How often a device was told to slow down (RFC 8628 §3.5).
    public func slowDowns(userCode: String) -> Int {
        pipeline.authorization.devices.slowDowns(userCode)
    }

    /// Demands another nonce in proofs from now on (RFC 9449 §8, §9), where nonces are used.
    public func rotateNonce(at port: Port) {
        pipeline.authorization.proofs.rotate(port == .api ? .api : .tokenEndpoint)
    }

    /// Whether every proof is refused for its nonce while the same nonce is demanded again.
    public func refuseNonces(_ isRefusing: Bool) {
        pipeline.authorization.proofs.setStubborn(isRefusing)
    }

    /// What proofs at the API must hold; `nil` where no nonces are used.
    public var currentNonce: String? { pipeline.authorization.proofs.nonce(.api) }
}
