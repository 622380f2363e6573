import CLibhiredis

/// What a Redis server answers, as far as it is needed here.
enum RedisReply: Sendable, Equatable {
    case null
    case integer(Int64)
    case bytes([UInt8])
    /// The first word of an error, such as `NOAUTH`. The rest may repeat what was sent.
    case error(String)
    case other

    /// Copies a reply of hiredis.
    init(_ reply: redisReply) {
        switch unsafe reply.type {
        case REDIS_REPLY_NIL: self = .null
        case REDIS_REPLY_INTEGER: self = unsafe .integer(reply.integer)
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .bytes(unsafe Self.bytes(reply))
        case REDIS_REPLY_ERROR:
            let word = unsafe Self.bytes(reply).prefix { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
            self = .error(String(decoding: word, as: UTF8.self))
        default: self = .other
        }
    }

    private static func bytes(_ reply: redisReply) -> [UInt8] {
        guard let start = unsafe reply.str else { return [] }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: reply.len))
    }
}
