import Foundation
import GatewayCore
import GatewayCurl
import GatewayOfflineQueue

// Uses an offline queue until it is killed, or until its input ends: `gateway-queue-worker FILE ORIGIN NAME COUNT INTERVAL`. It stores
// COUNT requests, `POST /effects/NAME-0` and so on, a part of them cancelled or with a short life, and prints a line for each one that
// is durable. It sends those of all processes that use the file, and looks for them once in INTERVAL milliseconds.

func say(_ line: String) {
    print(line)
    fflush(nil)
}

let arguments = CommandLine.arguments
guard arguments.count == 6, let count = Int(arguments[4]), let interval = Int(arguments[5]) else {
    fatalError("usage: gateway-queue-worker FILE ORIGIN NAME COUNT INTERVAL")
}
let (file, origin, name) = (arguments[1], arguments[2], arguments[3])
var configuration = OfflineQueueEngine.Configuration()
configuration.concurrency = 8
// A request that a test holds back does not end by itself.
configuration.attemptDeadline = .seconds(3_600)
var transport = CurlConfiguration()
transport.timeouts.firstByte = .seconds(3_600)
transport.timeouts.read = .seconds(3_600)
transport.timeouts.whole = .seconds(3_600)
configuration.checkInterval = .milliseconds(interval)
configuration.backoff = QueueBackoff(base: .milliseconds(20), longest: .milliseconds(200))
configuration.limits.count = 100_000
let queue = try await OfflineQueueEngine(
    store: SQLiteQueueStore(path: file),
    engine: AttemptEngine(transport: CurlTransport(configuration: transport)),
    configuration: configuration)
await queue.start()
say("started")
for number in 0..<count {
    var request = QueueRequest(
        try HTTPRequest(.post, "\(origin)/effects/\(name)-\(number)", body: .text("\(number)")))
    if number % 2 == 0 { request.orderingKey = "\(name)-\(number % 8)" }
    if number % 16 == 5 { request.timeToLive = .milliseconds(1) }
    let ticket = try await queue.enqueue(request)
    say("stored \(name)-\(number) \(ticket.id)")
    if number % 16 == 9, try await queue.cancel(ticket.id) { say("cancelled \(name)-\(number)") }
}
say("all stored")
// Until the input ends.
await withCheckedContinuation { continuation in
    Thread.detachNewThread {
        var byte = UInt8(0)
        while read(0, &byte, 1) == 1 {}
        continuation.resume()
    }
}
let report = await queue.drain(until: .after(.seconds(3_600)))
await queue.stop(within: .seconds(10))
say("ended \(report.remaining)")
