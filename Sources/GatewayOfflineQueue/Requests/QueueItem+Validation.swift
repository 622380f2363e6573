public import GatewayCore

extension QueueItem {
    /// The maximum ``QueueableRequest/timeToLive`` and ``QueueableRequest/repeatWindow``: 30 days.
    public static let longestLife = Duration.seconds(30 * 86_400)
    /// The maximum size of a key and of an account name, in bytes.
    public static let longestKey = 255
    /// The maximum size of the texts of a stored operation, in bytes.
    private static let longestOperation = 2_048

    /// The header fields that are stored by default.
    static let allowedFields: Set<HTTPField.Name> = [
        .accept, "Accept-Language", "Content-Disposition", "Content-Encoding", "Content-Language",
        .contentType,
        "If-Match", "If-Modified-Since", "If-None-Match", "If-Unmodified-Since", "Prefer", .requestID,
    ]

    /// Checks a request. Nothing is read or written.
    ///
    /// - Parameters:
    ///   - request: the request with its settings.
    ///   - now: the current wall-clock time.
    ///   - random: the source of the idempotency key if the request has none.
    ///   - additionalFields: the names of header fields that are stored in addition to the default ones.
    /// - Throws: ``QueueError`` with the code ``QueueError/Code/invalid`` and the invalid property.
    public init(
        _ request: some QueueableRequest, now: QueueTime, random: any RandomSource = SystemRandomSource(),
        additionalFields: Set<HTTPField.Name> = []
    ) throws(QueueError) {
        guard request.timeToLive > .zero, request.timeToLive <= Self.longestLife else {
            throw .invalid("timeToLive", "must be more than zero and at most 30 days")
        }
        guard request.repeatWindow >= .zero, request.repeatWindow <= Self.longestLife else {
            throw .invalid("repeatWindow", "must be from zero to 30 days")
        }
        try Self.check(request.deduplicationKey, "deduplicationKey")
        try Self.check(request.orderingKey, "orderingKey")
        try Self.check(request.account?.name, "account")
        guard !request.supersedes || request.deduplicationKey != nil else {
            throw .invalid("supersedes", "requires a deduplicationKey")
        }
        var http: HTTPRequest
        do throws(NetworkError) {
            http = try request.httpRequest()
            try http.validate()
        } catch {
            throw .invalid("request", "cannot be sent (\(error.code))")
        }
        guard let body = http.body.bytes else {
            throw .invalid("body", "must be in memory: files and streams are not stored")
        }
        let key = try Self.idempotencyKey(request, http, random)
        http.fields.remove(.idempotencyKey)
        for field in http.fields {
            // Never, even if the application lists it.
            guard !field.name.namesCredential else {
                throw .invalid(
                    "fields",
                    "'\(field.name)' is a credential and is not stored; credentials are added when sent")
            }
            guard Self.allowedFields.contains(field.name) || additionalFields.contains(field.name) else {
                throw .invalid("fields", "'\(field.name)' is not among the fields that are stored")
            }
        }
        self.init(
            Values(
                method: http.method, origin: http.origin, target: http.target, fields: http.fields,
                body: body,
                idempotencyKey: key, deduplicationKey: request.deduplicationKey,
                supersedes: request.supersedes,
                orderingKey: request.orderingKey, account: request.account,
                isAnonymous: request.isAnonymous, priority: request.priority,
                created: now, expires: now.adding(request.timeToLive),
                repeatWindow: .milliseconds(request.repeatWindow.wholeMilliseconds),
                operation: request.operation.flatMap { operation in
                    let bytes = operation.id.utf8.count + operation.template.utf8.count
                    return bytes <= Self.longestOperation ? operation : nil
                }))
    }

    private static func idempotencyKey(
        _ request: some QueueableRequest, _ http: HTTPRequest, _ random: any RandomSource
    ) throws(QueueError) -> String {
        let given = http.fields.values(for: .idempotencyKey)
        if let own = request.idempotencyKey {
            guard given.allSatisfy({ $0 == own }) else {
                throw .invalid("idempotencyKey", "differs from the header field 'Idempotency-Key'")
            }
        }
        guard let key = request.idempotencyKey ?? given.first else { return random.hexadecimal(words: 2) }
        guard given.count <= 1, isPrintable(key), key.utf8.count <= longestKey else {
            throw .invalid("idempotencyKey", "must be 1 to 255 bytes of printable ASCII without spaces")
        }
        return key
    }

    private static func isPrintable(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    static func check(_ text: String?, _ property: String) throws(QueueError) {
        guard let text else { return }
        guard !text.isEmpty, text.utf8.count <= longestKey, HTTPSyntax.isFieldValue(text.utf8) else {
            throw .invalid(property, "must be 1 to 255 bytes without control characters")
        }
    }
}
