extension EmbeddedGateway {
    /// Enters the code of a device as a user, and approves it (RFC 8628 §3.3).
    public func approveDevice(userCode: String, subject: String = "reader") {
        pipeline.authorization.devices.decide(userCode, .approved(subject: subject))
    }

    /// Enters the code of a device as a user, and denies it.
    public func denyDevice(userCode: String) { pipeline.authorization.devices.decide(userCode, .denied) }

    /// How many times a device was told to slow down (RFC 8628 §3.5).
    public func slowDowns(userCode: String) -> Int {
        pipeline.authorization.devices.slowDowns(userCode)
    }

    /// Requires a new nonce in proofs from now on (RFC 9449 §8, §9), if nonces are used.
    public func rotateNonce(at port: Port) {
        pipeline.authorization.proofs.rotate(port == .api ? .api : .tokenEndpoint)
    }

    /// Sets whether every proof is rejected because of its nonce, with the same nonce required again.
    public func refuseNonces(_ isRefusing: Bool) {
        pipeline.authorization.proofs.setStubborn(isRefusing)
    }

    /// The nonce that proofs at the API must have; `nil` if no nonces are used.
    public var currentNonce: String? { pipeline.authorization.proofs.nonce(.api) }
}
