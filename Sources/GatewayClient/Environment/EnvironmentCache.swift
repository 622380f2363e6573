import GatewayResilience

/// The cache that `GATEWAY_CACHE` describes.
enum EnvironmentCache: Sendable {
    /// In memory, up to a number of bytes; each configuration has its own.
    case memory(bytes: Int)
    case store(any CacheStore)

    func make() -> HTTPCache {
        switch self {
        case .memory(let bytes): HTTPCache(store: MemoryCacheStore(byteLimit: bytes))
        case .store(let store): HTTPCache(store: store)
        }
    }
}

extension VariableReader {
    /// The cache; `nil` for none.
    ///
    /// - Parameter makers: those of stores that this module does not have, by name.
    mutating func cache(_ makers: [String: GatewayEnvironment.CacheStoreMaker]) -> EnvironmentCache? {
        guard let text = text(.cache), text != "off" else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let (name, place) = (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
        if name == "memory" {
            guard let place else { return .memory(bytes: 16 << 20) }
            if let bytes = Int(place), bytes > 0 { return .memory(bytes: bytes) }
        } else if let make = makers[name] {
            do { return .store(try make(place ?? "")) } catch {
                let reason = (error as? CacheStoreError).map { ": \($0.message)" } ?? ""
                note(.invalidValue, .cache, "the store for `\(name)` cannot use this value\(reason)")
                return nil
            }
        } else if name == "disk" {
            note(
                .invalidValue, .cache,
                "this program has no store for `disk`: it must use the product GatewayDiskCache and "
                    + "`GatewayEnvironment(caches: [\"disk\": DiskCacheStore.fromEnvironment])`")
            return nil
        }
        note(.invalidValue, .cache, "\(Variable.cache.expected) is expected")
        return nil
    }
}
