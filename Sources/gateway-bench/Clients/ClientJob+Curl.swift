import BenchmarkClients
import GatewayClient

extension ClientJob {
    /// A URL of the same server.
    func url(_ path: String) -> String {
        guard let parsed = try? ParsedURL(url) else { return url }
        return "\(parsed.origin)\(path)"
    }

    /// As many connections as the baseline has, and enough time for requests without a response.
    var configuration: CurlConfiguration {
        var configuration = CurlConfiguration()
        configuration.connectionsPerOrigin = concurrency + idle
        configuration.connectionsInAll = concurrency + idle
        configuration.caFile = caFile
        if workload.isHTTP2 { configuration.httpVersion = .http2 }
        if idle > 0 {
            let long = Duration.seconds(600)
            configuration.timeouts = CurlConfiguration.Timeouts(
                queue: long, connect: long, firstByte: long, read: long, write: long, whole: long)
        }
        return configuration
    }
}
