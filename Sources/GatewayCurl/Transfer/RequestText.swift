private import GatewayLibC

/// A C string that is written for each request, in two reused buffers: the current text and the next one. If both are
/// equal, libcurl's option need not be set.
@safe
final class RequestText {
    @unsafe private struct Buffer {
        var bytes: UnsafeMutableBufferPointer<UInt8>
        var count = 0
    }

    private var held: Buffer
    private var next: Buffer
    private var holdsText = false

    init() {
        unsafe held = Buffer(bytes: .allocate(capacity: 1024))
        unsafe next = Buffer(bytes: .allocate(capacity: 1024))
    }

    deinit {
        unsafe held.bytes.deallocate()
        unsafe next.bytes.deallocate()
    }

    /// The text, terminated with NUL. It is valid and unchanged until the next ``commit()``.
    var text: UnsafePointer<CChar>? {
        guard let start = unsafe held.bytes.baseAddress else { return nil }
        return unsafe UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self)
    }

    /// Starts a new text.
    func begin() { unsafe next.count = 0 }

    /// Appends to the new text.
    func write(_ string: String) {
        var string = string
        string.withUTF8 { bytes in
            if unsafe next.count + bytes.count >= next.bytes.count { grow(by: bytes.count) }
            guard let start = bytes.baseAddress, let room = unsafe next.bytes.baseAddress else { return }
            unsafe memcpy(room + next.count, start, bytes.count)
            unsafe next.count += bytes.count
        }
    }

    /// Makes the new text the current one; `false` if they are equal.
    func commit() -> Bool {
        if holdsText, isSame() { return false }
        unsafe next.bytes[next.count] = 0
        unsafe swap(&held, &next)
        holdsText = true
        return true
    }

    private func isSame() -> Bool {
        guard unsafe held.count == next.count, let a = unsafe held.bytes.baseAddress,
            let b = unsafe next.bytes.baseAddress
        else { return false }
        return unsafe memcmp(a, b, held.count) == 0
    }

    private func grow(by count: Int) {
        let larger = UnsafeMutableBufferPointer<UInt8>.allocate(
            capacity: (unsafe next.count + count) * 2 + 1)
        _ = unsafe larger.update(fromContentsOf: next.bytes[..<next.count])
        unsafe next.bytes.deallocate()
        unsafe next.bytes = larger
    }
}
