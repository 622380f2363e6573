import GatewayDiskCache

enum DiskCacheSpecimens {
    static func all() -> [Any] { [DiskCacheStore(path: "/run/secrets/\(Marker.text)")] }
}
