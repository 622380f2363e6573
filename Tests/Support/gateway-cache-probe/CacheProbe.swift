import Foundation
import GatewayCore
import GatewayCurl
import GatewayResilience

/// Makes requests through an engine with a cache: one JSON object a line in and out, see Tests/README.md.
@main
struct CacheProbe {
    private struct Call: Decodable {
        let id: String
        let method: String?
        let url: String
        let headers: [[String]]?
        let body: String?
        let mode: String?
    }

    private struct Result: Encodable {
        let id: String
        var status: Int?
        var headers: [[String]]?
        var body: String?
        var source: String?
        var error: String?
    }

    private static let output = Locked(())

    static func main() async {
        var configuration = AsyncRequestEngine.Configuration()
        var policy = CachePolicy()
        policy.statusName = ProcessInfo.processInfo.environment["GATEWAY_CACHE_STATUS"]
        configuration.cache = HTTPCache(policy: policy)
        configuration.retry.policy = ExponentialRetryPolicy(maximumAttempts: 1)
        configuration.redirects.maximumHops = 0
        let engine = AsyncRequestEngine(transport: CurlTransport(), configuration: configuration)
        await withTaskGroup(of: Void.self) { group in
            while let line = readLine() {
                guard let call = try? JSONDecoder().decode(Call.self, from: Data(line.utf8)) else {
                    write(Result(id: "", error: "the line is not a call"))
                    continue
                }
                group.addTask { write(await make(call, engine)) }
            }
        }
    }

    private static func make(_ call: Call, _ engine: AsyncRequestEngine) async -> Result {
        do throws(NetworkError) {
            var fields = HTTPFields()
            for pair in call.headers ?? [] where pair.count == 2 {
                fields.append(HTTPField.Name(pair[0]), pair[1])
            }
            let body = call.body.flatMap { Data(base64Encoded: $0) }.map { HTTPBody.bytes(Array($0)) }
            let request = try HTTPRequest(
                HTTPMethod(call.method ?? "GET"), call.url, fields: fields, body: body ?? .empty)
            let mode = call.mode.flatMap { CacheMode(name: $0) }
            let response = try await engine.send(request, options: CallOptions(cache: mode))
            return Result(
                id: call.id, status: response.status,
                headers: response.fields.map { [$0.name.rawName, $0.value] },
                body: Data(response.body.bytes ?? []).base64EncodedString(),
                source: "\(response.exchange.source)")
        } catch {
            return Result(id: call.id, error: error.code.name)
        }
    }

    private static func write(_ result: Result) {
        guard let data = try? JSONEncoder().encode(result) else { return }
        output.withLock { _ in FileHandle.standardOutput.write(data + Data("\n".utf8)) }
    }
}
