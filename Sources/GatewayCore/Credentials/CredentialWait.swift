/// What a credential source notes about the wait of a call, if waits are observed. It is set while
/// ``CredentialSource/ready(atLeast:for:)`` runs.
package final class CredentialWait: Sendable {
    @TaskLocal package static var current: CredentialWait?

    private struct State {
        var hasWaited = false
        var isRefused = false
        var span: TraceContext?
    }

    private let state = Locked(State())

    package init() {}

    /// Whether the source failed the call immediately: that is no wait.
    package var isRefused: Bool { state.withLock { $0.isRefused && !$0.hasWaited } }

    /// The span of the token request that the call waited for, if the wait failed and token requests are traced.
    package var span: TraceContext? { state.withLock { $0.span } }

    /// Notes that the call waits.
    package func begin() { state.withLock { $0.hasWaited = true } }

    /// Notes that there is no credential, and none to wait for.
    package func refuse() { state.withLock { $0.isRefused = true } }

    /// Notes that the wait failed.
    ///
    /// - Parameter span: that of the token request; `nil` if there is none.
    package func fail(waitingFor span: TraceContext?) { state.withLock { $0.span = span } }
}
