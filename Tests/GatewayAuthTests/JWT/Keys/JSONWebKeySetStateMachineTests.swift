import GatewayCore
import Testing

@testable import GatewayAuth

@Suite struct JSONWebKeySetStateMachineTests {
    private let start = ContinuousClock.now
    private static let failure = JSONWebTokenError(.keysUnavailable, "x", cause: NetworkError.timeout)

    private static func set(_ key: String) throws -> JSONWebKeySet {
        try JSONWebKeySet(jsonBytes: Array(#"{"keys":[\#(key)]}"#.utf8))
    }

    /// What a token without a key id that is signed with ES512 is told.
    private func ask(
        _ machine: inout JSONWebKeySetStateMachine, hasWaited: Bool = false, after seconds: Int = 0
    ) -> String {
        let wanted = JSONWebKeySetStateMachine.Wanted(keyID: nil, algorithm: .es512)
        switch machine.ask(wanted, hasWaited: hasWaited, now: start + .seconds(seconds)) {
        case .keys(let keys, nil): return "\(keys.count) keys"
        case .keys(let keys, let flight?): return "\(keys.count) keys, launch \(flight)"
        case .wait(let flight, let isNew): return "wait \(flight)\(isNew ? ", launch" : "")"
        case .refuse(let error): return "\(error.code)"
        }
    }

    @Test func lateAnswersChangeNothing() throws {
        var machine = JSONWebKeySetStateMachine(policy: JSONWebKeySetPolicy())
        #expect(ask(&machine) == "wait 1, launch")
        #expect(ask(&machine) == "wait 1")
        let gaveUp = machine.failed(Self.failure, by: 1, retryAfter: nil, now: start + .seconds(10))
        #expect(gaveUp)
        #expect(ask(&machine, hasWaited: true, after: 10) == "keys_unavailable")
        #expect(ask(&machine, after: 11) == "wait 2, launch")
        let set = try Self.set(StandardVectors.cookbookECKey)
        let late = machine.received(set, by: 1, sent: start, lifetime: nil)
        #expect(!late)
        #expect(machine.current == nil)
        #expect(machine.flight == 2)
        let lateFailure = machine.failed(Self.failure, by: 1, retryAfter: nil, now: start + .seconds(12))
        #expect(!lateFailure)
        let inTime = machine.received(set, by: 2, sent: start + .seconds(11), lifetime: nil)
        #expect(inTime)
        #expect(ask(&machine, after: 12) == "1 keys")
        let again = machine.received(try Self.set("1"), by: 2, sent: start, lifetime: nil)
        #expect(!again)
        #expect(ask(&machine, after: 12) == "1 keys")
    }

    @Test func lifetimeCountsFromWhenItWasAskedFor() throws {
        var machine = JSONWebKeySetStateMachine(policy: JSONWebKeySetPolicy())
        #expect(ask(&machine) == "wait 1, launch")
        let set = try Self.set(StandardVectors.cookbookECKey)
        _ = machine.received(set, by: 1, sent: start, lifetime: .seconds(100))
        #expect(ask(&machine, after: 79) == "1 keys")
        #expect(ask(&machine, after: 80) == "1 keys, launch 2")
        #expect(ask(&machine, after: 99) == "1 keys")
        // Stale: whoever comes now waits for the renewal that is under way.
        #expect(ask(&machine, after: 100) == "wait 2")
        _ = machine.failed(Self.failure, by: 2, retryAfter: nil, now: start + .seconds(101))
        #expect(ask(&machine, hasWaited: true, after: 101) == "1 keys")
        #expect(ask(&machine, after: 102) == "1 keys, launch 3")
        _ = machine.failed(Self.failure, by: 3, retryAfter: nil, now: start + .seconds(103))
        #expect(ask(&machine, after: 3699) == "1 keys, launch 4")
        #expect(ask(&machine, after: 3700) == "wait 4")
        #expect(machine.current == nil)
    }

    @Test func anUnknownKeyIsAskedForOnceInACoolDown() throws {
        var machine = JSONWebKeySetStateMachine(policy: JSONWebKeySetPolicy())
        #expect(ask(&machine) == "wait 1, launch")
        _ = machine.received(try Self.set("1"), by: 1, sent: start, lifetime: .seconds(1000))
        #expect(ask(&machine, hasWaited: true, after: 1) == "unknown_key")
        #expect(ask(&machine, after: 29) == "unknown_key")
        #expect(ask(&machine, after: 30) == "wait 2, launch")
        #expect(ask(&machine, after: 31) == "wait 2")
        _ = machine.failed(Self.failure, by: 2, retryAfter: nil, now: start + .seconds(40))
        // It may be a new one: nobody knows while the issuer fails.
        #expect(ask(&machine, hasWaited: true, after: 40) == "keys_unavailable")
        #expect(ask(&machine, after: 59) == "keys_unavailable")
        #expect(ask(&machine, after: 60) == "wait 3, launch")
    }
}
