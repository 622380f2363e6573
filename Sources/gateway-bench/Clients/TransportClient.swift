import BenchmarkClients
import GatewayClient

/// `CurlTransport` alone.
struct TransportClient: BenchClient {
    private let transport: CurlTransport
    private let request: HTTPRequest
    private let context = RequestContext()

    init(_ job: ClientJob) throws(NetworkError) {
        transport = CurlTransport(configuration: job.configuration)
        request = try HTTPRequest(
            job.workload.uploadBytes > 0 ? .post : .get, job.url, body: .bytes(job.upload))
    }

    func send() async -> Bool {
        guard let response = try? await transport.send(request, context: context) else { return false }
        return response.isSuccess && response.body.bytes?.isEmpty == false
    }

    func get(_ path: String) async -> [UInt8]? {
        let request = HTTPRequest(method: .get, origin: request.origin, target: path)
        return try? await transport.send(request, context: context).body.bytes
    }
}
