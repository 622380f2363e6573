import BenchmarkClients

/// Foundation's client, in a program of its own: all others are measured in processes without Foundation's libraries.
@main
enum URLSessionProcess {
    static func main() async {
        await ClientProcess.run(Array(CommandLine.arguments.dropFirst())) { job in
            try await SwiftClientRun(client: URLSessionClient(job), job: job).measure()
        }
    }
}
