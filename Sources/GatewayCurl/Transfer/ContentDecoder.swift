import CZlib
import GatewayCore

/// Decompresses content in parts: `gzip` with one or several members (RFC 1952), and `deflate` with or without zlib
/// format (RFC 1950, RFC 1951). Used only by the loop.
///
/// Why not libcurl: its decoders do not detect truncated content, and reject a second member.
@safe
final class ContentDecoder {
    /// The supported codings.
    enum Coding {
        case gzip
        case deflate

        /// The value of `Accept-Encoding` for the supported codings.
        static let offer = "gzip, deflate"
    }

    /// What a `Content-Encoding` requires.
    enum Requirement {
        /// No decoding.
        case nothing
        case coding(Coding)
        /// A coding that was not offered, or several codings.
        case unsupported

        /// Parses the value of `Content-Encoding` (RFC 9110 §8.4.1). Names are case-insensitive.
        init(_ value: String) {
            let names = value.lowercased().split(separator: ",")
                .map { String($0).trimmingHTTPWhitespace() }
                .filter { !$0.isEmpty && $0 != "identity" }
            switch (names.first, names.count) {
            case (nil, _): self = .nothing
            case ("gzip", 1), ("x-gzip", 1): self = .coding(.gzip)
            case ("deflate", 1): self = .coding(.deflate)
            default: self = .unsupported
            }
        }
    }

    /// The result of passing on output.
    enum Reception {
        case taken
        /// Pass the same output again later.
        case pause
        /// No more output is needed.
        case abort
    }

    /// The result of decoding a part.
    enum Outcome {
        /// All output was passed on.
        case decoded
        /// Output was not accepted: pass the same part again later, alone or followed by more bytes.
        case pause
        case abort
        /// The content is damaged, or there are bytes after it.
        case malformed
    }

    private enum State {
        /// No input yet. → `inside`
        case empty
        /// Inside of a member. → `ended`
        case inside
        /// At the end of a member. With `gzip` another one may follow. → `inside`
        case ended
    }

    private static let outputBytes = 16 << 10

    private let coding: Coding
    // zlib's state has a pointer to the stream, which must not be moved.
    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutableRawBufferPointer
    private var state = State.empty
    /// The number of output bytes that were not accepted and are passed on again.
    private var pending = 0
    /// The number of bytes that were already read of the part that is passed again.
    private var consumed = 0
    /// Whether zlib may have more output than there was space for.
    private var holdsMore = false

    init(_ coding: Coding) {
        self.coding = coding
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe output = .allocate(byteCount: Self.outputBytes, alignment: 16)
    }

    deinit {
        // Harmless if zlib was not initialised.
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
        unsafe output.deallocate()
    }

    /// Whether the content so far is complete: empty, or only whole members.
    var isWhole: Bool {
        if case .inside = state { return false }
        return true
    }

    /// Decodes a part and passes on its output in pieces of at most 16 KiB.
    func decode(
        _ piece: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Reception
    ) -> Outcome {
        var position = min(consumed, piece.count)
        if pending > 0 {
            if let refusal = unsafe hand(pending, to: take) { return refusal }
            pending = 0
        }
        while position < (piece.count) || holdsMore {
            guard let (read, produced) = unsafe step(UnsafeRawBufferPointer(rebasing: piece[position...]))
            else {
                return .malformed
            }
            position += read
            guard produced > 0 else { continue }
            if let refusal = unsafe hand(produced, to: take) {
                pending = produced
                consumed = position
                return refusal
            }
        }
        consumed = 0
        return .decoded
    }

    private func hand(_ count: Int, to take: (UnsafeRawBufferPointer) -> Reception) -> Outcome? {
        switch unsafe take(UnsafeRawBufferPointer(rebasing: output[..<count])) {
        case .taken: nil
        case .pause: .pause
        case .abort: .abort
        }
    }

    /// Decodes input into the output buffer; `nil` if the content is damaged.
    private func step(_ input: UnsafeRawBufferPointer) -> (read: Int, produced: Int)? {
        switch state {
        case .empty:
            guard let first = unsafe input.first, begin(first) else { return nil }
        case .ended:
            // Bytes that do not start a member, such as padding, make the content malformed.
            guard case .gzip = coding, unsafe input.first == 0x1F, unsafe inflateReset(stream) == Z_OK else {
                return nil
            }
        case .inside: break
        }
        state = .inside
        // zlib does not write to its input.
        let start = unsafe UnsafeMutableRawPointer(mutating: input.baseAddress)
        unsafe stream.pointee.next_in = start?.assumingMemoryBound(to: Bytef.self)
        let offered = UInt32(clamping: input.count)
        unsafe stream.pointee.avail_in = offered
        unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self)
        unsafe stream.pointee.avail_out = UInt32(Self.outputBytes)
        let code = unsafe inflate(stream, Z_NO_FLUSH)
        let read = Int(offered) - Int(unsafe stream.pointee.avail_in)
        let produced = Self.outputBytes - Int(unsafe stream.pointee.avail_out)
        switch code {
        case Z_STREAM_END:
            state = .ended
            holdsMore = false
        case Z_OK, Z_BUF_ERROR:
            holdsMore = produced == Self.outputBytes
            // No progress although there is input. This should not happen, but would be an endless loop.
            if read == 0, produced == 0, input.count > 0 { return nil }
        default: return nil
        }
        return (read, produced)
    }

    /// Initialises zlib for content that starts with this byte.
    private func begin(_ first: UInt8) -> Bool {
        let windowBits: Int32
        switch coding {
        case .gzip: windowBits = 15 + 16
        // Some servers omit the zlib format (RFC 9110 §8.4.1.2). Its first byte has 8 in the low half, with which no
        // compressor starts raw deflate.
        case .deflate: windowBits = first & 0x8F == 0x08 ? 15 : -15
        }
        return unsafe gateway_inflate_init(stream, windowBits) == Z_OK
    }
}
