import GatewayCore

/// What all slots of a coordinator share.
struct TokenEnvironment: Sendable {
    let acquirer: any TokenAcquirer
    let policy: TokenRefreshPolicy
    let clock: any GatewayClock
    let random: any RandomSource
    let onEvent: (@Sendable (TokenEvent) -> Void)?
}
