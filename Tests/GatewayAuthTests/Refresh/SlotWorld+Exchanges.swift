import GatewayCore

@testable import GatewayAuth

/// Requests of flights, and how long they go on.
extension SlotWorld {
    /// The refresh token that a flight would send.
    var refreshToken: String { machine.lastGrant?.refreshToken?.exposed ?? "initial" }

    /// A flight is about to send its request. What is sent while another request may be under way is no refresh token
    /// that the other sends.
    mutating func ask(_ index: Int) {
        let flight = flights[index]
        let previous = flight.epoch == machine.epoch ? machine.lastGrant : nil
        switch machine.beginExchange(flight, after: previous, isSingleUse: isSingleUse) {
        case .granted:
            seen.insert("asked")
            if flight.id != machine.flight?.id || stragglers.contains(flight.id) {
                note("a flight that was given up asks nobody")
            }
            let underWay = requests.filter { !stragglers.contains($0.key) }.values
            if isSingleUse, underWay.contains(refreshToken) {
                note("no refresh token is sent twice while a request with it may be under way")
            }
            requests[flight.id] = refreshToken
        case .withdrawn:
            seen.insert("withdrawn")
            if flight.id == machine.flight?.id { note("the slot's flight may ask") }
            end(index, .cancelled)
        case .refused(let error):
            seen.insert("kept from sending a refresh token again")
            if !requests.values.contains(refreshToken) { note("what nobody sends may be sent") }
            end(index, error.code)
        }
    }

    /// The callers' limit of a flight passes.
    mutating func timeOut(_ flight: Machine.Flight) {
        seen.insert("timed out")
        let goesOn = isSingleUse && requests[flight.id] != nil
        let isCurrent = flight.id == machine.flight?.id
        if goesOn {
            seen.insert(isCurrent ? "overdue" : "overdue, of another login")
            overdue.insert(flight.id)
        } else {
            stragglers.insert(flight.id)
        }
        land(
            machine.timedOut(flight, now: now, chance: 0), of: flight,
            goesOn ? "token_outcome_unknown" : "token_unavailable")
        if isCurrent, goesOn != (machine.flight?.id == flight.id) {
            note("a request that goes on keeps the slot, and no other")
        }
    }
}
