#if canImport(Glibc)
    private import Glibc
#else
    private import Musl
#endif

/// A text as C wants it, in memory of its own that is used again: it neither keeps a caller's string nor frees it.
@safe
final class TextBuffer {
    private var bytes: UnsafeMutableBufferPointer<CChar>
    private var count = -1

    init() {
        unsafe bytes = .allocate(capacity: 256)
    }

    deinit { unsafe bytes.deallocate() }

    /// The text, ended by NUL; alive and unchanged until the next ``update(_:)``.
    var text: UnsafePointer<CChar>? { unsafe UnsafePointer(bytes.baseAddress) }

    /// Takes over a text; `false` where it is the one held already.
    func update(_ string: String) -> Bool {
        var string = string
        return string.withUTF8 { new in
            if new.count == count, unsafe isSame(new) { return false }
            if unsafe new.count >= bytes.count {
                unsafe bytes.deallocate()
                unsafe bytes = .allocate(capacity: new.count * 2)
            }
            unsafe UnsafeMutableRawBufferPointer(bytes).copyMemory(from: UnsafeRawBufferPointer(new))
            unsafe bytes[new.count] = 0
            count = new.count
            return true
        }
    }

    private func isSame(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let own = unsafe bytes.baseAddress, let other = other.baseAddress else { return true }
        return unsafe memcmp(own, other, count) == 0
    }
}
