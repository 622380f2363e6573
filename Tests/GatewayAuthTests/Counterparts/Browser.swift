import Foundation
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

/// A simulated browser: it keeps cookies, fills in forms, and shows redirects instead of following them.
final class Browser: Sendable {
    private let cookies = Locked<[String: String]>([:])

    func get(_ url: String) async throws -> HTTPResponse { try await send(.get, url) }

    /// Submits a form.
    func post(_ url: String, form: [String: String]) async throws -> HTTPResponse {
        let body = form.map { "\(Self.encode($0))=\(Self.encode($1))" }.joined(separator: "&")
        return try await send(.post, url, type: "application/x-www-form-urlencoded", Array(body.utf8))
    }

    /// Sends what a page's script would send.
    func send(_ method: HTTPMethod, _ url: String, json: JSONValue) async throws -> HTTPResponse {
        try await send(method, url, type: "application/json", json.jsonBytes())
    }

    private func send(
        _ method: HTTPMethod, _ url: String, type: String? = nil, _ body: [UInt8]? = nil
    ) async throws -> HTTPResponse {
        var request = try HTTPRequest(method, url)
        request.fields[.contentType] = type
        if let body { request.body = .bytes(body) }
        let sent = cookies.withLock { $0.map { "\($0)=\($1)" }.joined(separator: "; ") }
        if !sent.isEmpty { request.fields[.cookie] = sent }
        let response = try await TokenCounterparts.send(request)
        for cookie in response.fields.values(for: "Set-Cookie") {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            cookies.withLock { $0[String(pair[0])] = String(pair[1]) }
        }
        return response
    }

    /// Where a response redirects, as an absolute URL.
    static func location(_ response: HTTPResponse, from url: String) throws -> String {
        let location = try #require(response.fields[.location], "status \(response.status)")
        let base = try #require(URL(string: url))
        return try #require(URL(string: location, relativeTo: base)).absoluteString
    }

    /// A parameter of a URL's query.
    static func parameter(_ name: String, of url: String) throws -> String {
        let items = URLComponents(string: url)?.percentEncodedQueryItems ?? []
        let value = try #require(items.first { $0.name == name }?.value, "no parameter \(name)")
        return try #require(value.replacing("+", with: " ").removingPercentEncoding)
    }

    private static func encode(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
