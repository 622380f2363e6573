import Foundation

/// `gateway-bench client NAME URL CONCURRENCY REQUESTS`: one client, one round, one line of JSON.
enum ClientProcess {
    static func main(_ arguments: [String]) async {
        guard arguments.count == 4, let concurrency = Int(arguments[2]), let requests = Int(arguments[3])
        else {
            exit(2)
        }
        let url = arguments[1]
        let warmup = concurrency * 4
        do {
            let measurement: Measurement
            switch arguments[0] {
            case "c-libcurl-poll", "c-libcurl-epoll":
                measurement = try BaselineClient.measure(
                    url: url, concurrency: concurrency, warmup: warmup, requests: requests,
                    usesEpoll: arguments[0] == "c-libcurl-epoll")
            case ClientName.transport.rawValue:
                let client = try TransportClient(url: url, concurrency: concurrency)
                measurement = await LoadLoop.measure(
                    concurrency: concurrency, warmup: warmup, requests: requests, client.send)
            case ClientName.stack.rawValue:
                let client = try StackClient(url: url, concurrency: concurrency)
                measurement = await LoadLoop.measure(
                    concurrency: concurrency, warmup: warmup, requests: requests, client.send)
            case ClientName.urlSession.rawValue:
                let client = try URLSessionClient(url: url, concurrency: concurrency)
                measurement = await LoadLoop.measure(
                    concurrency: concurrency, warmup: warmup, requests: requests, client.send)
            default: exit(2)
            }
            let line = try JSONEncoder().encode(measurement)
            FileHandle.standardOutput.write(line + [0x0A])
            exit(0)
        } catch {
            Terminal.complain("\(arguments[0]): \(error)")
            exit(1)
        }
    }
}
