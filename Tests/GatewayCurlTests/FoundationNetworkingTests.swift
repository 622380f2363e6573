import Foundation
import GatewayCore
import GatewayCurl
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking

    /// Foundation has a libcurl of its own, in the same process.
    @Suite struct FoundationNetworkingTests {
        /// Both work side by side, and the process ends well, whoever began and whoever is still at work.
        @Test func bothEndWell() async {
            await #expect(processExitsWith: .success) {
                let server = FaultServer { request in ok(request.line) }
                let url = server.url
                let transport = CurlTransport()
                try await withThrowingTaskGroup(of: String.self) { group in
                    for number in 0..<20 {
                        group.addTask { try await transport.send(.get, "\(url)/\(number)").text }
                        group.addTask {
                            let (data, _) = try await URLSession.shared.data(
                                from: URL(string: "\(url)/\(number)") ?? URL(fileURLWithPath: "/"))
                            return String(decoding: data, as: UTF8.self)
                        }
                    }
                    for try await text in group { #expect(text.hasPrefix("GET /")) }
                }
                // Neither is shut down.
                withExtendedLifetime(transport) {}
            }
            await #expect(processExitsWith: .success) {
                let silent = FaultServer { connection in connection.waitForClose() }
                let transport = CurlTransport()
                let url = silent.url
                Task { _ = try await transport.send(.get, url) }
                Task {
                    _ = try await URLSession.shared.data(from: URL(string: url) ?? URL(fileURLWithPath: "/"))
                }
                await eventually { silent.connectionCount >= 2 }
                exit(0)
            }
        }
    }
#endif
