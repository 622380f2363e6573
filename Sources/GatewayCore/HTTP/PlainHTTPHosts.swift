/// The hosts that may receive credentials over plain HTTP, for networks in which a service mesh encrypts the traffic
/// outside of the process.
///
/// ```swift
/// configuration.plainHTTP = try PlainHTTPHosts(["orders", ".svc.cluster.local"])
/// ```
/// An entry is the name or address of a host, or a suffix that starts with a dot and covers all hosts below it. All
/// other hosts require `https` (RFC 6750 §5.3). Loopback addresses need no entry.
///
/// Endpoints of authorization servers receive long-lived secrets. They are covered only by entries with the complete
/// host name, not by suffixes.
public struct PlainHTTPHosts: Hashable, Sendable {
    /// No hosts: credentials are sent only over `https` or to this machine.
    public static let none = PlainHTTPHosts()

    private var hosts: Set<String> = []
    private var suffixes: [String] = []

    private init() {}

    /// Parses entries.
    ///
    /// - Parameter entries: hosts (`orders`, `orders.shop.svc`, `10.0.0.7`, `[fd00::7]`) and suffixes of at least two
    ///   labels (`.svc.cluster.local`). The suffixes `.internal` and `.local` are also allowed.
    /// - Throws: ``NetworkError`` with the code `misconfigured`. The message contains the invalid entry.
    public init(_ entries: [String]) throws(NetworkError) {
        for entry in entries {
            let entry = entry.lowercased()
            if entry.hasPrefix(".") {
                try suffixes.append(Self.suffix(entry))
            } else {
                try hosts.insert(Self.host(entry))
            }
        }
        suffixes.sort()
    }

    /// Whether there are no entries.
    public var isEmpty: Bool { hosts.isEmpty && suffixes.isEmpty }

    /// Whether an entry covers the host, by its complete name or by a suffix.
    public func covers(_ origin: Origin) -> Bool {
        if isEmpty { return false }
        return names(origin) || suffixes.contains { origin.host.hasSuffix($0) && origin.host != $0 }
    }

    /// Whether an entry is the complete name of the host.
    public func names(_ origin: Origin) -> Bool { hosts.contains(origin.host) }

    // MARK: Entries

    private static func host(_ entry: String) throws(NetworkError) -> String {
        guard let origin = try? Origin("http://" + entry), origin.host == entry, origin.port == 80 else {
            throw refusal(entry, "is not a host name or address; remove the scheme, the port and the path")
        }
        return entry
    }

    private static func suffix(_ entry: String) throws(NetworkError) -> String {
        let labels = entry.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last, (try? host(String(entry.dropFirst()))) != nil,
            labels.allSatisfy({ !$0.isEmpty }), !last.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else {
            throw refusal(entry, "is not a suffix of host names")
        }
        guard labels.count > 1 || last == "internal" || last == "local" else {
            throw refusal(entry, "covers too much: a suffix has at least two labels")
        }
        return entry
    }

    private static func refusal(_ entry: String, _ reason: String) -> NetworkError {
        let hint = entry.contains("*") ? "; write a suffix as .example.internal" : ""
        return NetworkError(.misconfigured, "Plain HTTP hosts: \"\(entry)\" \(reason)\(hint).")
    }
}
