import Foundation
import GatewayTesting

/// A shop that is down and loses answers, and order desks that are killed: each order is placed once all the same.
struct Demonstration {
    private let gateway: EmbeddedGateway
    private let folder: URL

    init() throws {
        gateway = try EmbeddedGateway.start()
        folder = FileManager.default.temporaryDirectory.appending(
            path: "bookshop-orders-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    /// - Returns: whether everything went as it should.
    func run() async throws -> Bool {
        defer {
            gateway.shutdown()
            try? FileManager.default.removeItem(at: folder)
        }
        // The shop has ten copies of the book: an order that is placed twice leaves another without its copy.
        let orders = Array(repeating: "bk-1 1", count: 10)

        Output.line("The shop is down. A desk takes ten orders, and is killed.")
        gateway.refuseConnections(to: .api)
        let first = try OrderProcess(gateway, folder)
        for order in orders { first.write(order) }
        for _ in orders { first.read { $0.hasPrefix("stored ") } }
        first.kill()

        Output.line("The shop is up and loses three answers. The next desk is killed after four requests.")
        gateway.inject(.dropAfterProcessing, times: 3)
        try gateway.acceptConnections(to: .api)
        let second = try OrderProcess(gateway, folder)
        while requests < 4, second.isRunning { try await Task.sleep(for: .milliseconds(5)) }
        second.kill()

        Output.line("The last desk sends what is left.")
        let third = try OrderProcess(gateway, folder)
        third.end()

        Output.line("An eleventh order finds no copy. One of another book does.")
        let fourth = try OrderProcess(gateway, folder)
        fourth.write("bk-1 1")
        fourth.write("bk-2 1")
        fourth.end()

        let isGood =
            third.status == 0 && fourth.status == 1 && fourth.lines.last == "1 sent, 1 refused, 0 left"
        Output.line(
            isGood
                ? "ok: ten orders, each placed once, by \(requests) requests"
                : "FAILED: see above what the desks have said")
        return isGood
    }

    private var requests: Int {
        gateway.journal.count { $0.path.hasSuffix("/orders") }
    }
}
