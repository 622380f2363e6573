import Foundation
import GatewayCore
import GatewayJSON
import GatewayTelemetry
import GatewayTesting
import Testing

@testable import GatewayDashboard

/// A collector on a clock that a test moves, and events for it.
struct DashboardFixture {
    let clock = ManualClock()
    let collector: DashboardCollector
    let origin: Origin

    init(metrics: RequestMetricsCollector? = nil, openLimit: Int = 10_000) throws {
        collector = DashboardCollector(metrics: metrics, clock: clock, openLimit: openLimit)
        origin = try Origin("https://api.example.com")
    }

    static let list = GatewayCore.Operation("listBooks", method: .get, template: "/books")
    static let get = GatewayCore.Operation("getBook", method: .get, template: "/books/{id}")

    func record(
        _ kind: RequestEvent.Kind, _ call: UInt64 = 1, _ operation: GatewayCore.Operation? = list,
        attempt: AttemptInfo = .first, trace: TraceContext? = nil, method: HTTPMethod = .get
    ) {
        collector.record(
            RequestEvent(
                instant: clock.now, callID: call, trace: trace, attempt: attempt, operation: operation,
                origin: origin, method: method, kind: kind))
    }

    func record(_ kind: TokenEvent.Kind, generation: UInt64, label: String = "login client", waiting: Int = 0)
    {
        var event = TokenEvent(
            instant: clock.now, credential: CredentialIdentity(key: "key|of|\(label)", epoch: 1),
            generation: generation, waitingCalls: (0..<waiting).map { UInt64($0) }, kind: kind)
        event.label = label
        collector.record(event)
    }

    func record(_ kind: StateEvent.Kind) {
        collector.record(StateEvent(instant: clock.now, origin: origin, kind: kind))
    }

    /// A call from its beginning to its end.
    func call(
        _ id: UInt64 = 1, _ operation: GatewayCore.Operation? = list, lasting milliseconds: Int = 10,
        status: Int = 200
    ) {
        record(.started, id, operation)
        record(.attemptStarted, id, operation)
        clock.advance(by: .milliseconds(milliseconds))
        let duration = Duration.milliseconds(milliseconds)
        record(.attemptEnded(AttemptEnd(.response(status: status), duration: duration)), id, operation)
        record(.succeeded(status: status, attempts: 1, duration: duration), id, operation)
    }

    /// The next frame.
    func frame(_ number: UInt64 = 1) async -> SharedFrame { SharedFrame(await collector.snapshot(number)) }
}

extension SharedFrame {
    /// The frame of a viewer that has no call, with the columns from a number on.
    func event(column: UInt64) -> [UInt8] {
        var viewer = ViewerState()
        return viewer.event(of: self, column: column)
    }
}

/// The events in a part of a stream.
struct StreamEvents {
    let events: [(name: String, value: JSONValue)]

    init(_ bytes: [UInt8]) throws {
        events = try String(decoding: bytes, as: UTF8.self).components(separatedBy: "\n\n").compactMap {
            text in
            let lines = text.components(separatedBy: "\n")
            guard lines.count == 2, lines[0].hasPrefix("event: "), lines[1].hasPrefix("data: ") else {
                return nil
            }
            return (
                String(lines[0].dropFirst("event: ".count)),
                try JSONValue(jsonBytes: Array(lines[1].dropFirst("data: ".count).utf8))
            )
        }
    }

    /// The value of the only event.
    static func value(_ bytes: [UInt8]) throws -> JSONValue {
        let events = try StreamEvents(bytes).events
        #expect(events.count == 1)
        return try #require(events.first).value
    }
}
