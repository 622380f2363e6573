import Foundation
import GatewayCore
import GatewayCurl
import GatewayListener
import GatewayResilience
import GatewayTelemetry

/// A service that makes the calls that a request asks for, in its trace, see Tests/README.md.
@main
struct TraceProbe {
    private struct Failure: Error {}

    /// A request that the probe makes.
    private struct Call: Sendable {
        let url: String
        /// JSON.
        let arguments: [UInt8]
    }

    static func main() async throws {
        guard let port = UInt16(CommandLine.arguments.dropFirst().first ?? "0") else {
            FileHandle.standardError.write(Data("usage: gateway-trace-probe [PORT]\n".utf8))
            exit(2)
        }
        // Spans are recorded and sent nowhere: the probe shows what its requests carry.
        let exporter = try OTLPExporter(OTLPConfiguration(), transport: CurlTransport())
        var configuration = AsyncRequestEngine.Configuration()
        configuration.events = ClientTracer(exporter: exporter)
        configuration.retry.policy = ExponentialRetryPolicy(maximumAttempts: 1)
        let engine = AsyncRequestEngine(transport: CurlTransport(), configuration: configuration)
        var listening = HTTPListener.Configuration(addresses: [.loopback(port: port)])
        listening.maximumRequestBytes = 1 << 20
        let listener = try HTTPListener(listening) { request in
            .wait { resumption in
                resumption.cancelAtStop(
                    Task {
                        let reply = await reply(to: request, engine)
                        resumption.resume { .reply(reply) }
                    })
            }
        }
        print("http://\(listener.addresses[0])/")
        // The line is read through a pipe.
        fflush(nil)
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }

    /// Makes the calls one after the other, in the trace of the request.
    private static func reply(
        to request: HTTPListener.Request, _ engine: AsyncRequestEngine
    ) async -> HTTPListener.Reply {
        let type: HTTPFields = ["Content-Type": "application/json"]
        guard let calls = try? calls(in: request.body) else {
            return HTTPListener.Reply(status: 400, fields: type, body: Array("null".utf8))
        }
        let baggage = Baggage(fields: request.fields)
        let isMade = await withTrace(TraceContext(fields: request.fields), baggage: baggage) {
            for call in calls {
                guard
                    let request = try? HTTPRequest(
                        .post, call.url, fields: type, body: .bytes(call.arguments)),
                    (try? await engine.send(request)) != nil
                else { return false }
            }
            return true
        }
        return HTTPListener.Reply(status: isMade ? 200 : 502, fields: type, body: Array("null".utf8))
    }

    private static func calls(in body: [UInt8]) throws -> [Call] {
        let value = try JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed)
        guard let list = value as? [[String: Any]] else { throw Failure() }
        return try list.map { item in
            guard let url = item["url"] as? String else { throw Failure() }
            let arguments = try JSONSerialization.data(
                withJSONObject: item["arguments"] ?? [Any](), options: .fragmentsAllowed)
            return Call(url: url, arguments: Array(arguments))
        }
    }
}
