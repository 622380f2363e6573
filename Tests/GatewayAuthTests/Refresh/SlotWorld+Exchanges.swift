import GatewayCore

@testable import GatewayAuth

/// Requests of flights, and how long they go on.
extension SlotWorld {
    /// The refresh token that a flight would send.
    var refreshToken: String { machine.lastGrant?.refreshToken?.exposed ?? Self.initialRefreshToken }

    static var initialRefreshToken: String { "initial" }

    /// A flight is about to send its request. What is sent while another request may be under way is no refresh token
    /// that the other sends.
    mutating func ask(_ index: Int) {
        let flight = flights[index].flight
        let previous = flight.epoch == machine.epoch ? machine.lastGrant : nil
        let refreshToken = refreshToken
        switch machine.beginExchange(flight, after: previous, isSingleUse: isSingleUse) {
        case .granted:
            see(.asked)
            if flight.id != machine.flight?.id || flights[index].isStraggler {
                note("a flight that was given up asks nobody")
            }
            if isSingleUse, flights.contains(where: { !$0.isStraggler && $0.request == refreshToken }) {
                note("no refresh token is sent twice while a request with it may be under way")
            }
            flights[index].request = refreshToken
        case .withdrawn:
            see(.withdrawn)
            if flight.id == machine.flight?.id { note("the slot's flight may ask") }
            end(index, Self.cancelled)
        case .refused(let error):
            see(.keptFromSendingARefreshTokenAgain)
            if !flights.contains(where: { $0.request == refreshToken }) {
                note("what nobody sends may be sent")
            }
            end(index, error)
        }
    }

    /// The callers' limit of a flight passes.
    mutating func timeOut(_ index: Int) {
        let flight = flights[index].flight
        see(.timedOut)
        let goesOn = isSingleUse && flights[index].request != nil
        let isCurrent = flight.id == machine.flight?.id
        if goesOn {
            see(isCurrent ? .overdue : .overdueOfAnotherLogin)
            flights[index].isOverdue = true
        } else {
            flights[index].isStraggler = true
        }
        land(
            machine.timedOut(flight, now: now, chance: 0), of: flight,
            goesOn ? .tokenOutcomeUnknown : .tokenUnavailable)
        if isCurrent, goesOn != (machine.flight?.id == flight.id) {
            note("a request that goes on keeps the slot, and no other")
        }
    }

    private static let cancelled = NetworkError(.cancelled, "")
}
