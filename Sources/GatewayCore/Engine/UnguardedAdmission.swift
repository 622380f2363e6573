/// Admits each attempt immediately.
struct UnguardedAdmission: AdmissionControl {
    func enterNow(
        _ request: HTTPRequest, context: RequestContext
    ) throws(NetworkError) -> (any AdmissionPermit)? { UnguardedPermit() }

    func enter(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> any AdmissionPermit { UnguardedPermit() }
}

/// The permit of an attempt that nothing limits.
package struct UnguardedPermit: AdmissionPermit {
    package init() {}
    package func end(_ outcome: AdmissionOutcome) {}
    package func responded(status: Int) -> (any AdmissionPermit)? { nil }
}
