private import GatewayLibC

/// The contents of a directory.
enum DirectoryNames {
    /// The names of its files that are UTF-8; none if it cannot be read.
    static func of(_ directory: String) -> [String] {
        guard let stream = unsafe opendir(directory) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { start in
                unsafe start.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(validatingCString: $0)
                }
            }
            if let name { names.append(name) }
        }
        return names
    }
}
