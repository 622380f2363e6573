import GatewayCore

@testable import GatewayAuth

extension SlotWorld {
    /// What decides the future, whoever the callers are.
    struct Fingerprint: Hashable {
        let callers: [Caller]
        let flights: [[UInt64]]
        let token: String
        let numbers: [UInt64]
        let flags: [Bool]
    }

    var fingerprint: Fingerprint {
        let sent = flights.map { flight -> UInt64 in
            guard let token = requests[flight.id] else { return 0 }
            return token == "initial" ? 1 : token == refreshToken ? 2 : 3
        }
        let state: UInt64 =
            switch machine.state {
            case .overdue: 7
            case .empty: 0
            case .holding: 1
            case .refreshing: 2
            case .failed(let failure, _): now < failure.until ? 3 : 4
            case .dead: 5
            case .signedOut: 6
            }
        return Fingerprint(
            callers: kind == .patient
                ? callers[..<Self.patient].sorted() + callers[Self.patient...] : callers.sorted(),
            flights: zip(flights, sent).map { flight, sent in
                [
                    sent, overdue.contains(flight.id) ? 1 : 0,
                    flight.id == machine.flight?.id ? 1 : 0, flight.epoch, flight.generation,
                    stragglers.contains(flight.id) ? 1 : 0, flight.knowsOfRejection ? 1 : 0,
                ]
            },
            token: machine.token.map { "\($0.generation) \($0.accessToken == Secret("t0"))" } ?? "",
            numbers: [
                state, machine.epoch, machine.generation, machine.rejectedGeneration, lastGeneration,
                UInt64(furtherRejections),
            ],
            flags: [
                hasSignedOut, hasSignedIn, hasNewcomer, machine.lastGrant == nil, refreshToken == "initial",
                isSingleUse, kind == .patient,
            ])
    }

    // MARK: Rules

    /// Notes the first rule that was broken.
    mutating func note(_ text: String) { flaw = flaw ?? text }

    /// What holds after every event.
    mutating func check() {
        let current = flights.filter { $0.epoch == machine.epoch && !stragglers.contains($0.id) }
        if current.map(\.id) != machine.flight.map({ [$0.id] }) ?? [] {
            note("one flight at a time, and each ends by itself")
        }
        let waiting = callers.count { $0 == .waiting }
        if machine.waiterCount != waiting { note("who waits is known to wait") }
        if waiting > 0, machine.flight == nil { note("nobody waits for nothing") }
        for case .served(let generation) in callers where generation < 2 {
            note("nobody gets the rejected token again")
        }
        if hasSignedOut, !hasSignedIn {
            guard case .signedOut = machine.state else {
                return note("a logout lasts until somebody signs in")
            }
        }
    }
}
