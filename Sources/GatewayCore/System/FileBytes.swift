private import GatewayLibC

/// The `errno` of a failed system call.
package struct SystemFailure: Error, Hashable, Sendable {
    package let code: Int32
}

/// Reads and writes files by their descriptors. Calls interrupted by a signal are repeated.
package enum FileBytes {
    /// Writes all bytes.
    package static func writeAll(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(SystemFailure) {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemFailure(code: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Writes all bytes to a descriptor that may be a pipe. A pipe that nobody reads any more is an error and does not end the
    /// process: SIGPIPE is blocked for this thread while it writes, and taken away again.
    package static func writeAllToPipe(_ bytes: ArraySlice<UInt8>, _ descriptor: Int32) throws(SystemFailure)
    {
        var (pipe, before, pending) = (sigset_t(), sigset_t(), sigset_t())
        unsafe sigemptyset(&pipe)
        unsafe sigaddset(&pipe, SIGPIPE)
        unsafe sigpending(&pending)
        unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        do throws(SystemFailure) { try writeAll(bytes, to: descriptor) } catch {
            // One that was pending already belongs to somebody else.
            if error.code == EPIPE, unsafe sigismember(&pending, SIGPIPE) == 0 {
                var noTime = timespec()
                _ = unsafe sigtimedwait(&pipe, nil, &noTime)
            }
            throw error
        }
    }

    /// Reads at most `count` bytes; none at the end of the file.
    package static func readPart(of descriptor: Int32, upToBytes count: Int) throws(SystemFailure) -> [UInt8]
    {
        while true {
            var code: Int32 = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                let got = unsafe read(descriptor, buffer.baseAddress, count)
                if got < 0 { code = errno }
                filled = max(0, got)
            }
            if code == 0 { return bytes }
            guard code == EINTR else { throw SystemFailure(code: code) }
        }
    }

    /// Reads to the end, or until there are more bytes than the limit.
    package static func readAll(of descriptor: Int32, upToBytes limit: Int) throws(SystemFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let part = try readPart(of: descriptor, upToBytes: 16 << 10)
            if part.isEmpty { break }
            bytes += part
        }
        return bytes
    }
}
