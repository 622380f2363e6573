#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension JSONLogSink {
    /// Writes bytes to standard error and returns when they are written. What cannot be written, as after the other end was
    /// closed, is left out.
    public static func writeToStandardError(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Self.writeOnce($0) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private static func writeOnce(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            while true {
                let count = unsafe Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
                if count >= 0 || errno != EINTR { return count }
            }
        #elseif canImport(Musl)
            while true {
                let count = unsafe Musl.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
                if count >= 0 || errno != EINTR { return count }
            }
        #endif
    }
}
