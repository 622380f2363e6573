import GatewayCore

/// Wraps a custom admission control, so that its waits end when the engine is shut down.
struct EndingAdmission: AdmissionControl {
    private let control: any AdmissionControl

    /// Returns a control whose waits end with the engine. Those of a bulkhead already do.
    static func around(_ control: any AdmissionControl) -> any AdmissionControl {
        control is Bulkhead ? control : EndingAdmission(control: control)
    }

    func enterNow(
        _ request: HTTPRequest, context: RequestContext
    ) throws(NetworkError) -> (any AdmissionPermit)? { try control.enterNow(request, context: context) }

    func enter(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> any AdmissionPermit {
        try await context.waiting("waited for its admission", at: request.origin) {
            [control] () async throws(NetworkError) -> any AdmissionPermit in
            try await control.enter(request, context: context)
        }
    }

    func priorityRaised(_ context: RequestContext) { control.priorityRaised(context) }
}
