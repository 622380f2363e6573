private import GatewayLibC
public import GatewayResilience

extension DiskCacheStore {
    /// Creates the store that the variable `GATEWAY_CACHE` describes after `disk:`.
    ///
    /// ```swift
    /// let environment = try GatewayEnvironment(caches: ["disk": DiskCacheStore.fromEnvironment])
    /// ```
    /// - Parameter place: the absolute path of the file, or the maximum size of the file in bytes, a colon
    ///   and the path. The directory of the file must exist and be writable.
    /// - Throws: ``GatewayResilience/CacheStoreError`` with the code `unavailable` and the reason.
    @Sendable public static func fromEnvironment(_ place: String) throws(CacheStoreError) -> any CacheStore {
        guard !place.hasPrefix("/"), let colon = place.firstIndex(of: ":") else {
            return DiskCacheStore(path: try checked(place))
        }
        guard let bytes = Int(place[..<colon]), bytes > 0 else {
            throw CacheStoreError(.unavailable, "the size must be a number of bytes, 1 or more")
        }
        return DiskCacheStore(
            path: try checked(String(place[place.index(after: colon)...])), byteLimit: bytes)
    }

    private static func checked(_ path: String) throws(CacheStoreError) -> String {
        guard path.hasPrefix("/"), !path.hasSuffix("/"), let slash = path.lastIndex(of: "/") else {
            throw CacheStoreError(.unavailable, "the absolute path of a file is required")
        }
        guard unsafe access(String(path[...slash]), W_OK | X_OK) == 0 else {
            throw CacheStoreError(
                .unavailable, "the directory of the file does not exist, or is not writable")
        }
        return path
    }
}
