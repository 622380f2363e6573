import Foundation
import GatewayAuth
import GatewayCore
import GatewayJSON
import GatewayTesting

/// Sends requests over connections of their own, on threads of their own.
enum RawClient {
    /// Runs blocking work on a thread of its own: neither the cooperative pool nor Dispatch makes a new thread as soon
    /// as the others are blocked.
    static func blocking<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result(catching: work)) }
        }
    }

    /// The text of a request.
    static func text(
        _ method: String, _ target: String, _ fields: [String: String] = [:], body: String = ""
    ) -> String {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { text += "\(name): \(value)\r\n" }
        if !body.isEmpty || method == "POST" { text += "Content-Length: \(body.utf8.count)\r\n" }
        return text + "\r\n" + body
    }

    /// One request over a new connection.
    static func send(
        port: UInt16, _ method: String, _ target: String, _ fields: [String: String] = [:], body: String = ""
    ) async throws -> RawResponse {
        try await blocking {
            let connection = try RawConnection(port: port)
            connection.write(text(method, target, fields, body: body))
            return connection.response(toHead: method == "HEAD")
        }
    }
}

extension EmbeddedGateway {
    /// One request to the API over a new connection.
    func send(
        _ method: String, _ target: String, token: Secret? = nil, _ fields: [String: String] = [:],
        body: String = ""
    ) async throws -> RawResponse {
        var fields = fields
        if let token { fields["Authorization"] = "Bearer \(token.exposed)" }
        return try await RawClient.send(port: origin.port, method, target, fields, body: body)
    }

    /// One request with JSON content.
    func send(
        _ method: String, _ target: String, token: Secret?, json: String, type: String = "application/json",
        _ fields: [String: String] = [:]
    ) async throws -> RawResponse {
        try await send(
            method, target, token: token, fields.merging(["Content-Type": type]) { own, _ in own }, body: json
        )
    }

    /// One request to the token endpoint, authenticated in the form unless the fields say otherwise.
    func requestToken(
        _ parameters: [String: String], _ fields: [String: String] = [:]
    ) async throws -> RawResponse {
        var parameters = parameters
        if fields["Authorization"] == nil, parameters["client_id"] == nil {
            parameters["client_id"] = client.id
            parameters["client_secret"] = client.secret.exposed
        }
        let body = parameters.sorted { $0.key < $1.key }
            .map { "\(formEncoded($0.key))=\(formEncoded($0.value))" }.joined(separator: "&")
        return try await RawClient.send(
            port: tokenOrigin.port, "POST", "/oauth/token",
            fields.merging(["Content-Type": "application/x-www-form-urlencoded"]) { own, _ in own },
            body: body)
    }
}

/// A value in the form `application/x-www-form-urlencoded`.
func formEncoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
}

extension RawResponse {
    /// The content as JSON; `null` where it is none.
    var json: JSONValue { (try? JSONValue(jsonBytes: body)) ?? .null }
}
