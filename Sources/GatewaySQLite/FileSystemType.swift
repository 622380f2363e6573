internal import CSQLite

/// Types of file systems.
package enum FileSystemType {
    /// The number of the type of the file system of a path, as `statfs` has it; `nil` if it cannot be asked for.
    package static func of(_ path: String) -> UInt32? {
        let type = unsafe csqlite_file_system_type(path)
        return type == 0 ? nil : type
    }
}
