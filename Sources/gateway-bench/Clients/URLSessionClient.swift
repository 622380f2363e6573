import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Foundation's own client.
struct URLSessionClient: Sendable {
    private let session: URLSession
    private let url: URL

    init(url: String, concurrency: Int) throws(BenchmarkFailure) {
        guard let url = URL(string: url) else { throw .failed("'\(url)' is no URL") }
        self.url = url
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = concurrency
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCache = nil
        session = URLSession(configuration: configuration)
    }

    func send() async -> Bool {
        guard let (data, response) = try? await session.data(from: url) else { return false }
        return (response as? HTTPURLResponse)?.statusCode == 200 && !data.isEmpty
    }
}
