public import GatewayCore
public import GatewayJSON

/// The problem details of an HTTP API (RFC 9457): the content of `application/problem+json`.
///
/// A member of the wrong type is ignored (RFC 9457 §3.1). Descriptions, dumps and mirrors contain only the status.
public struct ProblemDetails: Hashable, Sendable {
    /// A URI reference that identifies the problem type. Default: `about:blank`.
    public var type: String
    /// A short summary of the problem type.
    public var title: String?
    /// The HTTP status that the origin server set. The status of the response may differ, because intermediaries can
    /// change it.
    public var status: Int?
    /// An explanation of this occurrence of the problem.
    public var detail: String?
    /// A URI reference that identifies this occurrence of the problem.
    public var instance: String?
    /// The extension members: all members that RFC 9457 does not define.
    public var extensions: [String: JSONValue]

    /// Creates problem details, for tests of error handling.
    public init(
        type: String = "about:blank", title: String? = nil, status: Int? = nil, detail: String? = nil,
        instance: String? = nil, extensions: [String: JSONValue] = [:]
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.extensions = extensions
    }
}

extension ProblemDetails: JSONDecodable {
    /// Decodes problem details.
    ///
    /// - Throws: ``GatewayJSON/JSONError`` if the JSON is not an object.
    public init(json: JSONElement) throws(JSONError) {
        var members = try [String: JSONValue](json: json)
        type = members.removeValue(forKey: "type")?.string ?? "about:blank"
        title = members.removeValue(forKey: "title")?.string
        status = members.removeValue(forKey: "status")?.int
        detail = members.removeValue(forKey: "detail")?.string
        instance = members.removeValue(forKey: "instance")?.string
        extensions = members
    }
}

extension ProblemDetails: Redacted {
    /// The status.
    public var description: String { "problem details" + (status.map { " of status \($0)" } ?? "") }
}
