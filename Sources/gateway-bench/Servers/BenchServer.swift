import BenchmarkClients
import CBenchServer

/// The server in C, on a thread of this process.
enum BenchServer {
    /// Where it is; started by the first who asks, and never stopped.
    static let url: String? = {
        let content = Array(Workload.content.utf8CString)
        let port = unsafe bench_server_start(content, content.count - 1)
        return port > 0 ? "http://127.0.0.1:\(port)" : nil
    }()
}
