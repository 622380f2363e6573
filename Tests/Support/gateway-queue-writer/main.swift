import GatewayCore
import GatewayOfflineQueue
import Glibc

// Adds entries to a queue: `gateway-queue-writer PATH COUNT`. Writes a line for each ticket when it has it.

let arguments = CommandLine.arguments
guard arguments.count == 3, let count = Int(arguments[2]) else {
    fatalError("usage: gateway-queue-writer PATH COUNT")
}
let store = SQLiteQueueStore(path: arguments[1])
let clock = SystemClock()
for number in 0..<count {
    let request = try HTTPRequest(.post, "https://api.example.com/items", body: .text("\(number)"))
    let item = try QueueItem(QueueRequest(request), now: QueueTime(clock))
    _ = try store.insert([item], limits: QueueLimits(), now: QueueTime(clock))
    let line = Array("ticket \(number)\n".utf8)
    guard write(1, line, line.count) == line.count else { fatalError("no output") }
}
