import Foundation
import GatewayCore
import GatewayDiskCache
import GatewayResilience

// Writes responses into a disk cache until it is killed: `gateway-cache-writer PATH SEED BODY-BYTES`. Each response has one
// of 16 targets, and a body that repeats one byte, which the field `X-Byte` names. Prints a dot when it begins, and one for
// each response that is stored.

let arguments = CommandLine.arguments
guard arguments.count == 4, let seed = UInt64(arguments[2]), let size = Int(arguments[3]) else {
    fatalError("usage: gateway-cache-writer PATH SEED BODY-BYTES")
}
let store = DiskCacheStore(path: arguments[1], byteLimit: 4 << 20)
let origin = try Origin("https://api.example.com")
var counter = seed
try await store.removeAll(of: .account("nobody"))
while true {
    print(".", terminator: "")
    fflush(nil)
    counter &+= SplitMix64.increment
    let random = SplitMix64.scatter(counter)
    let key = CacheKey(
        partition: CachePartition(owner: .account("writer")), origin: origin, target: "/\(random % 16)")
    let byte = UInt8(truncatingIfNeeded: random >> 8)
    let body = [UInt8](repeating: byte, count: Int(random >> 16) % size)
    let head = CachedHead(
        id: .init(random), status: 200, fields: ["X-Byte": "\(byte)"], requested: .zero, received: .zero,
        selecting: [:], bodyBytes: body.count, isDecoded: false)
    let known = try await store.heads(for: key)
    try await store.put(head, body: body, for: key, replacing: known.map(\.id))
}
