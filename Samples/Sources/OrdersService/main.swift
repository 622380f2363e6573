import Foundation
import GatewayClient

// Settings are environment variables; README.md has them, and the routes.
do {
    let termination = Termination()
    guard let port = UInt16(ProcessInfo.processInfo.environment["ORDERS_PORT"] ?? "8080") else {
        throw NetworkError(.misconfigured, "ORDERS_PORT must be a number from 0 to 65535.")
    }
    let service = try await OrdersService(
        port: port, webhookSecret: .environment(fileNamedBy: "ORDERS_WEBHOOK_SECRET_FILE"))
    print("listening on \(service.server.origin)")
    fflush(nil)
    await termination.wait()
    await service.engine.shutdown(within: .seconds(25))
} catch {
    FileHandle.standardError.write(Data("orders-service: \(error)\n".utf8))
    exit(1)
}
