import BenchmarkClients

/// The servers that workloads need; each is started by the first that does.
final class BenchServers {
    /// Where a workload's requests go.
    struct Place {
        let url: String
        var caFile: String?
    }

    private let url: String?
    private var nginx: Nginx?
    private var gateway: RevocationGateway?

    /// - Parameter url: takes all requests in place of servers of our own; `nil` for none.
    init(url: String?) { self.url = url }

    /// `nil` where there is no such server on this machine.
    func place(of workload: Workload) throws -> Place? {
        if let url { return Place(url: url) }
        switch workload.server {
        case .plain:
            guard let server = try startedNginx() else { return try own(workload) }
            return Place(url: server.url + workload.path)
        case .tls:
            guard let server = try startedNginx(), let url = server.secureURL else { return nil }
            return Place(url: url + workload.path, caFile: server.certificateFile)
        case .own: return try own(workload)
        case .gateway:
            let server = try gateway ?? RevocationGateway()
            gateway = server
            return Place(url: server.url + workload.path)
        }
    }

    /// Whether the server has the first processor to itself; clients keep off it then.
    func keepApart(_ isApart: Bool) {
        guard let process = nginx?.processIdentifier else { return }
        if isApart { Processors.giveFirst(to: process) } else { Processors.free(process) }
    }

    func stop() {
        nginx?.stop()
        gateway?.stop()
    }

    private func own(_ workload: Workload) throws(BenchmarkFailure) -> Place {
        guard let url = BenchServer.url else { throw .failed("the benchmark's own server does not start") }
        return Place(url: url + workload.path)
    }

    private func startedNginx() throws -> Nginx? {
        if let nginx { return nginx }
        nginx = try Nginx.executable.map { try Nginx(executable: $0) }
        return nginx
    }
}
