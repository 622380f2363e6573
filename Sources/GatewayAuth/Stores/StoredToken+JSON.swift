public import GatewayCore
import GatewayJSON

/// The format of stored records: JSON of at most ``StoredToken/maximumBytes``. The version is 1, or 2 if the token is
/// bound to a key, because a reader of version 1 would send it as a bearer token.
extension StoredToken {
    /// The maximum size of an encoded record: 256 KiB, about a hundred times the usual size.
    public static let maximumBytes = 256 << 10

    /// Why bytes cannot be read as a record.
    package enum ReadingFailure: Error {
        /// They are not a record, or only a part of one.
        case torn
        /// They are a record of another key or of a later version.
        case foreign
    }

    /// Returns the encoded record, which contains secrets.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.int("version", grant.map { $0.type == .bearer ? 1 : 2 } ?? 1)
        writer.string("key", key)
        writer.required("generation", JSONValue.number(JSONNumber(generation)))
        writer.required("login", JSONValue.number(JSONNumber(login)))
        switch content {
        case .signedOut: writer.string("state", "signed_out")
        case .signedIn: writer.string("state", "signed_in")
        case .lost: writer.string("state", "lost")
        case .granted(let grant):
            writer.string("state", "granted")
            writer.string("access_token", grant.accessToken.exposed)
            if let token = grant.refreshToken { writer.string("refresh_token", token.exposed) }
            writer.required("issued_at_ms", grant.issuedAt.storedMilliseconds)
            if let end = grant.expiresAt { writer.required("expires_at_ms", end.storedMilliseconds) }
            if grant.type != .bearer { writer.string("token_type", grant.type.scheme) }
            if let scopes = grant.scopes { writer.required("scopes", scopes) }
        }
        if !endedLogins.isEmpty {
            writer.required("ended_logins", JSONValue.array(endedLogins.map { .number(JSONNumber($0)) }))
        }
        writer.endObject()
        // All written values can be represented in JSON.
        return (try? writer.finished()) ?? []
    }

    /// Decodes a record that ``encoded()`` has written.
    ///
    /// - Parameter key: the key that the record must have.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `tokenStoreFailed`; the error contains none of the bytes.
    public init(_ bytes: [UInt8], for key: TokenKey) throws(NetworkError) {
        do {
            self = try Self.read(bytes, for: key)
        } catch {
            throw .storeFailed(
                error == .torn
                    ? "The stored value is not a token record." : "The token record belongs to another key.")
        }
    }

    package static func read(_ bytes: [UInt8], for key: TokenKey) throws(ReadingFailure) -> StoredToken {
        let limits = JSONLimits(depth: 4, bytes: maximumBytes)
        guard bytes.count <= maximumBytes,
            let members = (try? JSONValue(jsonBytes: bytes, limits: limits))?.object,
            let version = members["version"]?.int
        else { throw .torn }
        let type: AccessTokenType
        switch (version, members["token_type"]?.string) {
        case (1, nil): type = .bearer
        case (2, AccessTokenType.dpop.scheme): type = .dpop
        default: throw .foreign
        }
        guard let owner = members["key"]?.string, let generation = members.unsigned("generation"),
            1...lastGeneration ~= generation,
            let login = members.unsigned("login"), let state = members["state"]?.string
        else { throw .torn }
        guard owner == key.canonical else { throw .foreign }
        let content: Content
        switch state {
        case "signed_out": content = .signedOut
        case "signed_in": content = .signedIn
        case "lost": content = .lost
        case "granted":
            guard let token = members["access_token"]?.string,
                let issued = try members.optional("issued_at_ms", \.storedTime)
            else { throw .torn }
            content = .granted(
                Grant(
                    accessToken: Secret(token),
                    refreshToken: try members.optional("refresh_token", \.string).map(Secret.init),
                    issuedAt: issued, expiresAt: try members.optional("expires_at_ms", \.storedTime),
                    scopes: try members.optional("scopes", \.strings), type: type))
        default: throw .foreign
        }
        let ended = try members.optional("ended_logins", \.logins) ?? []
        return StoredToken(
            keyText: owner, generation: generation, login: login, content: content, endedLogins: ended)
    }
}

extension Duration {
    /// In seconds: milliseconds up to here are integers that every JSON reader keeps exactly.
    fileprivate static let longestStored: Int64 = 1 << 43

    /// The nearest time that can be stored; computing with it cannot overflow.
    var storable: Duration {
        min(max(self, .seconds(-Self.longestStored)), .seconds(Self.longestStored))
    }

    /// Whole milliseconds.
    fileprivate var storedMilliseconds: Int {
        let (seconds, attoseconds) = storable.components
        return Int(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}

extension [String: JSONValue] {
    fileprivate func unsigned(_ name: String) -> UInt64? {
        self[name]?.number?.integer()
    }

    /// A member that may be missing, but must be valid if present: a damaged refresh token is not a missing one.
    fileprivate func optional<Member>(
        _ name: String, _ read: (JSONValue) -> Member?
    ) throws(StoredToken.ReadingFailure) -> Member? {
        guard let member = self[name] else { return nil }
        guard let value = read(member) else { throw .torn }
        return value
    }
}

extension JSONValue {
    fileprivate var logins: [UInt64]? {
        guard let values = array else { return nil }
        let logins = values.compactMap { value -> UInt64? in value.number?.integer() }
        return logins.count == values.count ? logins : nil
    }

    fileprivate var strings: [String]? {
        guard let values = array else { return nil }
        let texts = values.compactMap(\.string)
        return texts.count == values.count ? texts : nil
    }

    fileprivate var storedTime: Duration? {
        guard let milliseconds = int,
            milliseconds.magnitude / 1000 <= UInt(Duration.longestStored)
        else { return nil }
        return .milliseconds(milliseconds)
    }
}
