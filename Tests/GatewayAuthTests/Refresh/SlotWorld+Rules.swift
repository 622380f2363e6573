import GatewayCore

@testable import GatewayAuth

extension SlotWorld {
    /// What decides the future, independent of which caller is which. Callers that nothing can happen to any more are alike.
    struct Fingerprint: Hashable {
        /// How many callers are in each state, in four bits a state.
        fileprivate(set) var callers: UInt64 = 0
        fileprivate(set) var flights = Bits()
        fileprivate(set) var slot = Bits()
    }

    /// Small numbers, one after the other.
    struct Bits: Hashable {
        private var bits: UInt64 = 0
        private var count = 0

        mutating func append(_ number: UInt64, width: Int) {
            count += width
            precondition(count <= 64 && number >> UInt64(width) == 0)
            bits = bits << UInt64(width) | number
        }

        mutating func append(_ flag: Bool) { append(flag ? 1 : 0, width: 1) }
    }

    var fingerprint: Fingerprint {
        var print = Fingerprint()
        for (index, caller) in callers.enumerated() {
            let number = number(of: caller)
            if kind == .patient, index == Self.patient {
                print.slot.append(number, width: 4)
            } else {
                print.callers += 1 << (4 * number)
            }
        }
        let (refreshToken, current) = (refreshToken, machine.flight?.id)
        var numbers: [UInt64] = []
        for pending in flights {
            let sent: UInt64 =
                switch pending.request {
                case nil: 0
                case Self.initialRefreshToken: 1
                case refreshToken: 2
                default: 3
                }
            var number = sent
            number = number << 1 | (pending.isOverdue ? 1 : 0)
            number = number << 1 | (pending.flight.id == current ? 1 : 0)
            number = number << 1 | (pending.isStraggler ? 1 : 0)
            number = number << 1 | (pending.flight.knowsOfRejection ? 1 : 0)
            number = number << 2 | self.number(ofEpoch: pending.flight.epoch)
            numbers.append(number << 4 | pending.flight.generation)
        }
        // Their order is of no account.
        if numbers.count > 1 { numbers.sort() }
        for number in numbers { print.flights.append(number, width: 12) }
        print.slot.append(stateNumber, width: 4)
        print.slot.append(number(ofEpoch: machine.epoch), width: 2)
        print.slot.append(machine.generation, width: 4)
        print.slot.append(machine.rejectedGeneration, width: 4)
        print.slot.append(lastGeneration, width: 4)
        print.slot.append(machine.token?.generation ?? 0, width: 4)
        print.slot.append(machine.token?.accessToken.exposed == "t0")
        print.slot.append(UInt64(furtherRejections), width: 2)
        for flag in [hasSignedOut, hasSignedIn, hasNewcomer, machine.lastGrant == nil] {
            print.slot.append(flag)
        }
        print.slot.append(refreshToken == Self.initialRefreshToken)
        print.slot.append(kind == .singleUse ? 0 : kind == .patient ? 1 : 2, width: 2)
        return print
    }

    private func number(of caller: Caller) -> UInt64 {
        switch caller {
        case .sending: 0
        case .waiting: 1
        case .served(let generation) where furtherRejections > 0: 2 + generation
        case .served, .ended: 2
        }
    }

    private func number(ofEpoch epoch: UInt64) -> UInt64 { epoch == self.epoch ? 0 : epoch - 100 }

    private var stateNumber: UInt64 {
        switch machine.state {
        case .overdue: 7
        case .empty: 0
        case .holding: 1
        case .refreshing: 2
        case .failed(let failure, _): now < failure.until ? 3 : 4
        case .dead: 5
        case .signedOut: 6
        }
    }

    // MARK: Rules

    /// Notes the first rule that was broken.
    mutating func note(_ text: String) { flaw = flaw ?? text }

    /// What holds after every event.
    mutating func check() {
        let current = flights.filter { $0.flight.epoch == machine.epoch && !$0.isStraggler }
        if current.count > 1 || current.first?.flight.id != machine.flight?.id {
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
