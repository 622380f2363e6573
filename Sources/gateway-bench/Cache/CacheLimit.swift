import BenchmarkClients
import GatewayClient
import GatewayDiskCache
import Glibc

/// What stores with a limit of 64 MiB hold while many times that is offered, in bodies of 1 to 256 KiB.
struct CacheLimit {
    private static let limit = 64 << 20

    let mebibytes: Int
    let folder: String

    func measure() async throws -> FigureRow {
        let path = folder + "/limit.sqlite"
        let memory = MemoryCacheStore(byteLimit: Self.limit)
        let before = ProcessUsage.heapKibibytes
        var heap = 0.0
        let held = try await offer(to: memory) { heap = max(heap, ProcessUsage.heapKibibytes - before) }
        let inMemory = Double(memory.byteCount) / Double(1 << 20)
        memory.removeAll()
        var file = 0
        let disk = DiskCacheStore(path: path, byteLimit: Self.limit)
        let onDisk = try await offer(to: disk) { file = max(file, Self.size(path)) }
        let bound = FigureRow.Goal.atMost(64 * 1.05)
        return FigureRow(
            name: "limit", title: "A limit of 64 MiB while \(mebibytes) MiB are offered", rounds: 1,
            figures: [
                .init(name: "mib_memory", value: inMemory, goal: bound),
                .init(name: "mib_heap_peak", value: heap / 1_024, goal: bound),
                .init(name: "mib_files_peak", value: Double(file) / Double(1 << 20), goal: bound),
                .init(name: "evicted_memory", value: Double(held)),
                .init(name: "evicted_disk", value: Double(onDisk)),
            ])
    }

    /// - Returns: how many responses were removed.
    private func offer(to store: any CacheStore, _ look: () -> Void) async throws -> Int {
        let origin = try Origin("https://api.example.com")
        var (left, number, evicted) = (mebibytes << 20, UInt64(1), 0)
        while left > 0 {
            number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let body = [UInt8](
                repeating: UInt8(truncatingIfNeeded: number >> 56), count: 1_024 + Int(number >> 40 % 261_120)
            )
            let head = CachedHead(
                id: .init(number), status: 200, fields: ["ETag": "\"\(number)\""], requested: .zero,
                received: .zero, selecting: [:], bodyBytes: body.count, isDecoded: false)
            let key = CacheKey(
                partition: CachePartition(owner: .account("account")), origin: origin, target: "/\(number)")
            let generation = try await store.generation(for: key)
            evicted +=
                try await store.put(head, body: body, for: key, replacing: [], since: generation) ?? 0
            left -= body.count
            look()
        }
        return evicted
    }

    /// The size of the file and its log.
    private static func size(_ path: String) -> Int {
        [path, path + "-wal"].reduce(0) { size, path in
            var status = stat()
            return unsafe stat(path, &status) == 0 ? size + Int(status.st_size) : size
        }
    }
}
