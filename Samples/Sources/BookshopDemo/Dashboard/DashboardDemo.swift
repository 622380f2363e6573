import Foundation
import GatewayTesting

/// Steady traffic with faults behind it, and the page that shows them.
enum DashboardDemo {
    /// Runs for the time of the options, or until SIGINT or SIGTERM.
    static func run(_ gateway: EmbeddedGateway, _ options: Options) async throws {
        let interruption = Interruption.sequence()
        let shop = try await Shop(gateway)
        await shop.queue.start()
        print("Dashboard: \(shop.dashboard.link)")
        fflush(nil)
        Terminal.note("\(options.rate) calls per second; Ctrl-C ends it")

        let traffic = Traffic(shop, rate: options.rate, others: options.operations)
        let faults = Faults(shop, calm: .seconds(options.calm))
        let work = Task {
            guard options.rate > 0 else { return }
            async let calls: Void = traffic.run()
            try await faults.run()
            await calls
        }
        await withTaskGroup { group in
            group.addTask { for await _ in interruption {} }
            if options.seconds > 0 {
                group.addTask { try? await Task.sleep(for: .seconds(options.seconds)) }
            }
            await group.next()
            group.cancelAll()
        }
        work.cancel()
        _ = await work.result
        await shop.shutdown()
    }
}
