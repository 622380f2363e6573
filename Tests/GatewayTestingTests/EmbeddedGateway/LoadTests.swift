import Dispatch
import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@Suite(.tags(.concurrent)) struct LoadTests {
    /// Sends one request after the other over a connection until the gateway goes away.
    private static func sendUntilTheEnd(port: UInt16, _ request: String) -> Int {
        // One that comes late is refused.
        guard let connection = try? RawConnection(port: port) else { return 0 }
        var answered = 0
        while true {
            connection.write(request)
            let response = connection.response()
            guard response.isComplete, response.status == 200 else { return answered }
            answered += 1
        }
    }

    @Test func itStopsCleanlyUnderLoad() async throws {
        for _ in 0..<3 { try await stopUnderLoad() }
    }

    private func stopUnderLoad() async throws {
        let gateway = try EmbeddedGateway.start()
        let token = try gateway.issueAccessToken().token
        gateway.inject(.latency(.milliseconds(1)), into: .path("/echo"), probability: 0.5)
        let (underWay, gate) = (Gate(), Gate())
        gateway.route(.get, "/slow") { _ in
            await gate.pass()
            return .status(200)
        }
        let handled = Locked(0)
        gateway.route(.get, "/counted", access: .anyToken) { _ in
            let count = handled.withLock { handled in
                handled += 1
                return handled
            }
            if count == 500 { Task { await underWay.pass() } }
            return .status(200)
        }
        underWay.open()
        let port = gateway.origin.port
        let requests = [
            RawClient.text("GET", "/counted", ["Authorization": "Bearer \(token.exposed)"]),
            RawClient.text("POST", "/echo", body: "x"), RawClient.text("GET", "/slow"),
        ]
        let clients = (0..<24).map { index in
            Task {
                try await RawClient.blocking {
                    Self.sendUntilTheEnd(port: port, requests[index % requests.count])
                }
            }
        }
        await gate.waitForArrivals(8)
        await underWay.waitForArrivals(1)
        gateway.shutdown()
        var answered = 0
        for client in clients { answered += try await client.value }
        gate.open()
        #expect(answered >= 400)
        #expect(gateway.statistics.connectionsOpen == 0)
        #expect(gateway.statistics.connectionsOpened == 24)
    }

    /// libmicrohttpd asks the system for at most 128 events at once.
    @Test(arguments: [127, 128, 129, 256]) func aFullBatchOfEventsIsServed(count: Int) async throws {
        var configuration = EmbeddedGateway.Configuration()
        configuration.threads = 1
        let gateway = try EmbeddedGateway.start(configuration)
        let port = gateway.origin.port
        let (isBusy, isComplete) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        gateway.route(.get, "/busy") { _ in
            isBusy.signal()
            isComplete.wait()
            return .status(200)
        }
        let statuses = try await RawClient.blocking {
            let connections = try (0..<count).map { _ in try RawConnection(port: port) }
            // All of them stand, and then all of them have something to say while the only thread is busy.
            let last = try #require(connections.last)
            last.write(RawClient.text("GET", "/v1/health"))
            try #require(last.response().status == 200)
            let busy = try RawConnection(port: port)
            busy.write(RawClient.text("GET", "/busy"))
            isBusy.wait()
            for connection in connections { connection.write(RawClient.text("GET", "/v1/health")) }
            isComplete.signal()
            return connections.map { $0.response().status }
        }
        #expect(statuses == Array(repeating: 200, count: count))
        gateway.shutdown()
    }

    @Test func startingAndStoppingLeavesNothingBehind() async throws {
        // In a process of its own: other tests open and close things all the time.
        await #expect(processExitsWith: .success) {
            func count(_ directory: String) throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: directory).count
            }
            var before: (descriptors: Int, threads: Int) = (0, 0)
            for round in 0..<30 {
                weak var last: EmbeddedGateway?
                do {
                    let gateway = try EmbeddedGateway.start()
                    last = gateway
                    gateway.route(.get, "/self") { _ in .text("\(gateway.origin)") }
                    let connection = try RawConnection(port: gateway.origin.port)
                    connection.write(RawClient.text("GET", "/self"))
                    try #require(connection.response().status == 200)
                    gateway.shutdown()
                }
                try #require(last == nil)
                let now = (try count("/proc/self/fd"), try count("/proc/self/task"))
                if round == 0 { before = now }
                try #require(now == before)
            }
        }
    }
}
