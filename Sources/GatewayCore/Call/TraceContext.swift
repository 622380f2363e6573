/// The position of a call in a distributed trace (W3C Trace Context, level 2).
public struct TraceContext: Hashable, Sendable {
    /// The upper half of the trace ID.
    public let traceIDHigh: UInt64
    /// The lower half of the trace ID. The two halves are not both zero.
    public let traceIDLow: UInt64
    /// The ID of the span that the next request belongs to. Not zero.
    public let spanID: UInt64
    /// The flags: bit 0 is `sampled`, bit 1 is `random-trace-id`. Other bits are not passed on (§3.2.2.5).
    public let flags: UInt8
    /// The `tracestate` field, at most 32 members; empty if there is none.
    public private(set) var state: String
    /// `nil` if ``spanID`` is the span of the caller. Otherwise it is the span of the call itself, and this is the ID of its
    /// parent; 0 if it has none.
    package private(set) var parentSpanID: UInt64?

    /// Makes a context.
    ///
    /// - Returns: `nil` if the trace ID or the span ID is zero (W3C Trace Context §3.2.2.3, §3.2.2.4).
    public init?(
        traceIDHigh: UInt64, traceIDLow: UInt64, spanID: UInt64, flags: UInt8 = 0, state: String = ""
    ) {
        guard traceIDHigh != 0 || traceIDLow != 0, spanID != 0 else { return nil }
        self.traceIDHigh = traceIDHigh
        self.traceIDLow = traceIDLow
        self.spanID = spanID
        self.flags = flags & 3
        self.state = Self.validState([state])
    }

    /// The position at which a new trace begins, with a random trace ID (level 2 §3.2.2.5).
    ///
    /// - Parameter isSampled: decides by the lower half of the trace ID.
    package static func root(random: any RandomSource, isSampled: (UInt64) -> Bool) -> TraceContext {
        let (high, low) = (random.next(), max(1, random.next()))
        return TraceContext(
            traceIDHigh: high, traceIDLow: low, spanID: max(1, random.next()), flags: isSampled(low) ? 3 : 2,
            state: "", parentSpanID: 0)
    }

    private init(
        traceIDHigh: UInt64, traceIDLow: UInt64, spanID: UInt64, flags: UInt8, state: String,
        parentSpanID: UInt64?
    ) {
        self.traceIDHigh = traceIDHigh
        self.traceIDLow = traceIDLow
        self.spanID = spanID
        self.flags = flags
        self.state = state
        self.parentSpanID = parentSpanID
    }

    /// Whether the trace is recorded.
    public var isSampled: Bool { flags & 1 != 0 }

    /// The same trace at another span.
    ///
    /// - Returns: `nil` if the span ID is zero.
    public func at(spanID: UInt64) -> TraceContext? {
        spanID == 0 ? nil : at(spanID: spanID, isSampled: isSampled, parentSpanID: nil)
    }

    /// The same trace at another span.
    ///
    /// - Parameters:
    ///   - spanID: not zero.
    ///   - parentSpanID: see ``parentSpanID``.
    package func at(spanID: UInt64, isSampled: Bool, parentSpanID: UInt64?) -> TraceContext {
        TraceContext(
            traceIDHigh: traceIDHigh, traceIDLow: traceIDLow, spanID: max(1, spanID),
            flags: flags & 2 | (isSampled ? 1 : 0), state: state, parentSpanID: parentSpanID)
    }

    /// The trace ID: 32 hexadecimal digits in lower case.
    package var traceID: String { traceIDHigh.hexadecimal + traceIDLow.hexadecimal }

    // MARK: Fields

    /// The value of `traceparent`, version 00 (§3.2).
    public var traceparent: String {
        // Each attempt sends one: it takes one allocation.
        unsafe String(unsafeUninitializedCapacity: 55) { text in
            unsafe text.initialize(repeating: UInt8(ascii: "-"))
            unsafe text.write(hexadecimal: 0, from: 0, to: 2)
            unsafe text.write(hexadecimal: traceIDHigh, from: 3, to: 19)
            unsafe text.write(hexadecimal: traceIDLow, from: 19, to: 35)
            unsafe text.write(hexadecimal: spanID, from: 36, to: 52)
            unsafe text.write(hexadecimal: UInt64(flags), from: 53, to: 55)
            return 55
        }
    }

    /// Reads the two fields.
    ///
    /// - Parameters:
    ///   - traceparent: the value of `traceparent`. Of a version above 00 the first 55 characters are read (§4.3).
    ///   - tracestate: the values of `tracestate`, in order. They are dropped if they are invalid.
    /// - Returns: `nil` if `traceparent` is invalid: a new trace is to be begun, without the state.
    public init?(traceparent: String, tracestate: [String] = []) {
        let text = Array(traceparent.utf8)
        guard text.count >= 55, let version = Self.number(text[0..<2]), version != 0xFF,
            version == 0 ? text.count == 55 : text.count == 55 || text[55] == UInt8(ascii: "-"),
            [2, 35, 52].allSatisfy({ text[$0] == UInt8(ascii: "-") }),
            let high = Self.number(text[3..<19]), let low = Self.number(text[19..<35]),
            let span = Self.number(text[36..<52]), let flags = Self.number(text[53..<55])
        else { return nil }
        self.init(traceIDHigh: high, traceIDLow: low, spanID: span, flags: UInt8(truncatingIfNeeded: flags))
        state = Self.validState(tracestate)
    }

    /// A number of lower-case hexadecimal digits, 16 at most.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            guard let number = digit.hexadecimalValue, !(0x41...0x46).contains(digit) else { return nil }
            value = value << 4 | UInt64(number)
        }
        return value
    }
}
