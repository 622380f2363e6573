import BenchmarkClients
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Foundation's own client.
struct URLSessionClient: BenchClient {
    private let session: URLSession
    private let request: URLRequest

    init(_ job: ClientJob) throws(BenchmarkFailure) {
        guard let url = URL(string: job.url) else { throw .failed("'\(job.url)' is not a URL") }
        var request = URLRequest(url: url)
        if job.workload.uploadBytes > 0 {
            request.httpMethod = "POST"
            request.httpBody = Data(job.upload)
        }
        self.request = request
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = job.concurrency
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCache = nil
        session = URLSession(configuration: configuration)
    }

    func send() async -> Bool {
        guard let (data, response) = try? await session.data(for: request) else { return false }
        return (response as? HTTPURLResponse)?.statusCode == 200 && !data.isEmpty
    }

    func get(_ path: String) async -> [UInt8]? {
        guard let url = URL(string: path, relativeTo: request.url) else { return nil }
        return (try? await session.data(from: url)).map { Array($0.0) }
    }
}
