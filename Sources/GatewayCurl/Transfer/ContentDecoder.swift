import CZlib
import GatewayCore

/// Decompresses a response's content piece by piece: `gzip` of one or several members (RFC 1952), and `deflate` with
/// or without the format of zlib around it (RFC 1950, RFC 1951). Used by the loop alone.
///
/// Why not libcurl: its decoders do not tell content that ends early from whole content, and refuse a second member.
@safe
final class ContentDecoder {
    /// The codings that are offered and read.
    enum Coding {
        case gzip
        case deflate

        /// The value of `Accept-Encoding` that offers them.
        static let offer = "gzip, deflate"
    }

    /// What a `Content-Encoding` asks of the reader.
    enum Requirement {
        /// The content is as it is.
        case nothing
        case coding(Coding)
        /// A coding that was not offered, or several on top of each other.
        case unsupported

        /// Reads the value of the field (RFC 9110 §8.4.1); names compare without regard to case.
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

    /// What becomes of output.
    enum Reception {
        case taken
        /// It is to come again, later.
        case pause
        /// Nothing more is wanted.
        case abort
    }

    /// What became of a piece.
    enum Outcome {
        /// All that comes out of it was handed on.
        case decoded
        /// Output was refused for now: the piece must come again, alone or with more behind it.
        case pause
        case abort
        /// The content is damaged, or something follows it.
        case malformed
    }

    private enum State {
        /// Nothing has come. → `inside`
        case empty
        /// In the middle of a member. → `ended`
        case inside
        /// At the end of a member; for `gzip` another may follow. → `inside`
        case ended
    }

    private static let outputBytes = 16 << 10

    private let coding: Coding
    // zlib's state points back at the stream, which must stay where it is.
    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutableRawBufferPointer
    private var state = State.empty
    /// How many bytes of output were refused and come again.
    private var pending = 0
    /// How many bytes of the piece that comes again were read already.
    private var consumed = 0
    /// Whether zlib may hold more output than there was room for.
    private var holdsMore = false

    init(_ coding: Coding) {
        self.coding = coding
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe output = .allocate(byteCount: Self.outputBytes, alignment: 16)
    }

    deinit {
        // Harmless where nothing was begun.
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
        unsafe output.deallocate()
    }

    /// Whether what came so far may be all: nothing, or whole members.
    var isWhole: Bool {
        if case .inside = state { return false }
        return true
    }

    /// Decodes a piece and hands on what comes out of it, at most 16 KiB at a time.
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

    /// Reads from the input and fills the output; `nil` where the content is damaged.
    private func step(_ input: UnsafeRawBufferPointer) -> (read: Int, produced: Int)? {
        switch state {
        case .empty:
            guard let first = unsafe input.first, begin(first) else { return nil }
        case .ended:
            // Padding and other bytes behind the content are no member.
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
            // Nothing moves though there is something to read: never, and if it did, for ever.
            if read == 0, produced == 0, input.count > 0 { return nil }
        default: return nil
        }
        return (read, produced)
    }

    /// Sets zlib up for what begins with this byte.
    private func begin(_ first: UInt8) -> Bool {
        let windowBits: Int32
        switch coding {
        case .gzip: windowBits = 15 + 16
        // RFC 9110 §8.4.1.2: some servers leave the format of zlib out, whose first byte has 8 in its low half: no
        // compressor begins raw deflate so.
        case .deflate: windowBits = first & 0x8F == 0x08 ? 15 : -15
        }
        return unsafe gateway_inflate_init(stream, windowBits) == Z_OK
    }
}
