import GatewayCore
import GatewayJSON

/// What a collector's response means for a batch (OpenTelemetry Protocol, OTLP/HTTP).
enum OTLPDelivery: Hashable, Sendable {
    /// The collector has the batch, except for this number of records.
    case taken(rejected: Int)
    /// The batch may be sent again, after the time that the collector asks for.
    case again(after: Duration?, OTLPFailure)
    /// The batch must not be sent again.
    case lost(OTLPFailure)

    /// The largest response that is read, in bytes.
    static let responseLimit = 4 << 20
    /// The largest request that is sent, in bytes.
    static let requestLimit = 64 << 20

    /// The meaning of a response.
    init(status: Int, fields: HTTPFields, body: [UInt8], unixTime: Duration) {
        switch status {
        case 200..<300:
            self = Self.rejected(in: body, fields.mediaType).map { .taken(rejected: $0) } ?? .lost(.malformed)
        case 429, 502, 503, 504:
            self = .again(after: fields.retryAfter(at: unixTime), .status(status))
        default: self = .lost(.status(status))
        }
    }

    /// The meaning of an error: failures of the connection may pass.
    init(_ error: NetworkError) {
        switch error.code {
        case .noConnection, .dnsFailure, .connectionRefused, .proxyFailure, .connectionLost, .timeout,
            .truncated, .overloaded:
            self = .again(after: nil, .error(error.code))
        default: self = .lost(.error(error.code))
        }
    }

    /// The number of records that the collector has rejected; `nil` if the response is not one of the protocol.
    private static func rejected(in body: [UInt8], _ mediaType: String?) -> Int? {
        if body.isEmpty { return 0 }
        switch mediaType {
        case "application/x-protobuf": return ProtobufPartialSuccess.rejected(in: body)
        case "application/json":
            guard let root = try? JSONDocument(body).root, let value = try? JSONValue(json: root),
                value.object != nil
            else { return nil }
            guard let partial = value["partialSuccess"]?.object else { return 0 }
            let counts = ["rejectedSpans", "rejectedDataPoints", "rejectedLogRecords"].compactMap {
                partial[$0].flatMap { $0.int ?? $0.string.flatMap { Int($0) } }
            }
            return max(0, counts.first ?? 0)
        default: return nil
        }
    }
}

/// Why a batch was not delivered.
enum OTLPFailure: Hashable, Sendable {
    case status(Int)
    case error(NetworkError.Code)
    /// The response is not one of the protocol.
    case malformed
    /// The request would be too large.
    case tooLarge

    /// A word or a status.
    var name: String {
        switch self {
        case .status(let status): "\(status)"
        case .error(let code): code.name
        case .malformed: "malformed_response"
        case .tooLarge: "request_too_large"
        }
    }
}

/// Reads `ExportTraceServiceResponse` and its siblings.
enum ProtobufPartialSuccess {
    /// The number of rejected records; `nil` if the bytes are no message.
    static func rejected(in bytes: [UInt8]) -> Int? {
        // partial_success = 1; in it rejected_spans = 1 (data points, log records).
        var rejected: UInt64 = 0
        let isRead = fields(bytes[...]) { number, content in
            guard number == 1, case .bytes(let message) = content else { return true }
            return fields(message) { number, content in
                if number == 1, case .number(let value) = content { rejected = value }
                return true
            }
        }
        return isRead ? Int(clamping: max(0, Int64(bitPattern: rejected))) : nil
    }

    private enum Content {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
        case other
    }

    private static func fields(
        _ bytes: ArraySlice<UInt8>, _ read: (UInt64, Content) -> Bool
    ) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            guard let tag = varint(&rest), tag >> 3 > 0 else { return false }
            let content: Content
            switch tag & 7 {
            case 0:
                guard let value = varint(&rest) else { return false }
                content = .number(value)
            case 2:
                guard let count = varint(&rest), count <= UInt64(rest.count) else { return false }
                content = .bytes(rest.prefix(Int(count)))
                rest = rest.dropFirst(Int(count))
            case 1, 5:
                let count = tag & 7 == 1 ? 8 : 4
                guard rest.count >= count else { return false }
                content = .other
                rest = rest.dropFirst(count)
            default: return false
            }
            guard read(tag >> 3, content) else { return false }
        }
        return true
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
