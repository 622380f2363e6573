import GatewayCore
import GatewayDigest
import GatewayListener

/// Decides what a request may have. Pure.
struct RequestCheck: Sendable {
    enum Resource: Hashable, Sendable {
        case page, stream, metrics
    }

    /// A refusal, as its status.
    struct Refusal: Error, Hashable, Sendable {
        let status: Int
    }

    /// 32 hexadecimal digits.
    let token: Secret
    let servesMetrics: Bool
    /// Names in `Host` besides those of this machine, in lower case.
    let hosts: Set<String>

    /// - Throws: `misconfigured` if no request can have one of the hosts.
    init(token: Secret, servesMetrics: Bool, hosts: [String]) throws(NetworkError) {
        self.token = token
        self.servesMetrics = servesMetrics
        for host in hosts where !Self.isHost(host) {
            throw NetworkError(
                .misconfigured,
                "An entry of hosts must be a name or an address, with or without a port, without a scheme or a wildcard."
            )
        }
        self.hosts = Set(hosts.map { $0.lowercased() })
    }

    private static func isHost(_ value: String) -> Bool {
        guard let name = host(in: value) else { return false }
        if name.hasPrefix("[") {
            return name.utf8.dropFirst().dropLast().allSatisfy {
                $0.hexadecimalValue != nil || ":.".utf8.contains($0)
            }
        }
        return name.utf8.allSatisfy { $0.isAlphanumeric || "-._".utf8.contains($0) }
    }

    /// The resource that a request asks for.
    func resource(for request: HTTPListener.Request) throws(Refusal) -> Resource {
        try checkHost(request.fields.values(for: .host))
        guard let path = request.target.utf8.first == UInt8(ascii: "/") ? request.target : nil else {
            throw Refusal(status: 400)
        }
        let resource = try resource(at: path)
        guard [.get, .head].contains(request.method) else { throw Refusal(status: 405) }
        guard request.body.isEmpty else { throw Refusal(status: 413) }
        try checkSite(request.fields, resource)
        return resource
    }

    /// A page of another site whose name leads to this machine (DNS rebinding) has its own name in `Host`.
    private func checkHost(_ values: [String]) throws(Refusal) {
        guard values.count == 1 else { throw Refusal(status: 400) }
        let value = values[0].lowercased()
        guard let name = Self.host(in: value) else { throw Refusal(status: 400) }
        guard Origin.isLoopback(name) || hosts.contains(name) || hosts.contains(value) else {
            throw Refusal(status: 421)
        }
    }

    /// The host without the port; `nil` if it is not valid.
    private static func host(in value: String) -> String? {
        let isBracketed = value.hasPrefix("[")
        guard
            let split = isBracketed
                ? value.firstIndex(of: "]").map({ value.index(after: $0) }) : value.firstIndex(of: ":")
        else { return value.isEmpty || isBracketed ? nil : value }
        let (name, port) = (value[..<split], value[split...])
        // `UInt16` takes a sign, too.
        let digits = port.dropFirst()
        guard !name.isEmpty, port.isEmpty || port.first == ":" && UInt16(digits) != nil, digits.first != "+"
        else { return nil }
        return String(name)
    }

    private func resource(at path: String) throws(Refusal) -> Resource {
        if path == "/metrics", servesMetrics { return .metrics }
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, HMACSHA256.areEqual(Array(parts[0].utf8), Array(token.exposed.utf8)) else {
            throw Refusal(status: 404)
        }
        switch parts[1] {
        case "": return .page
        case "stream": return .stream
        default: throw Refusal(status: 404)
        }
    }

    /// Refuses requests of other sites. A link on another site may open the page.
    private func checkSite(_ fields: HTTPFields, _ resource: Resource) throws(Refusal) {
        // Each of several values counts.
        if !fields.values(for: "Sec-Fetch-Site").allSatisfy({ ["same-origin", "none"].contains($0) }) {
            guard resource == .page, fields.values(for: "Sec-Fetch-Mode") == ["navigate"],
                fields.values(for: "Sec-Fetch-Dest") == ["document"]
            else { throw Refusal(status: 403) }
        }
        let host = fields.values(for: .host).first ?? ""
        guard
            fields.values(for: "Origin").allSatisfy({ $0.lowercased() == "http://\(host.lowercased())" })
        else { throw Refusal(status: 403) }
    }
}
