import GatewayCore
import GatewayResilience

/// Common functions of the conformance suites.
enum ConformanceFindings {
    /// Runs checks. Returns their failures, each with the name of its check.
    static func failures(
        _ checks: [(String, @Sendable (inout Findings) async throws -> Void)],
        describing describe: (any Error) -> String = name
    ) async -> [String] {
        var failures: [String] = []
        for (name, check) in checks {
            var found = Findings()
            do { try await check(&found) } catch { found.add("threw \(describe(error))") }
            failures += found.all.map { "\(name): \($0)" }
        }
        return failures
    }

    /// The name of an error in a failure. Its message is not used, because the message itself may be wrong.
    static func name(_ error: any Error) -> String {
        if let error = error as? CacheStoreError { return "\(error.code)" }
        return (error as? NetworkError)?.code.name ?? "\(type(of: error))"
    }

    /// Whether an error is permanent, that is, no further request is useful before a sign-in.
    static func isPermanent(_ error: any Error) -> Bool {
        guard let error = error as? NetworkError else { return false }
        let codes: [NetworkError.Code] = [
            .reauthenticationRequired, .credentialMisconfigured, .interactionRequired, .credentialMissing,
            .insecureOrigin, .misconfigured, .signedOut,
        ]
        return codes.contains(error.code)
    }

    /// Whether a text is valid in an `Authorization` field: `b64token` (RFC 6750 §2.1).
    static func isToken(_ text: String) -> Bool {
        let body = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        return !body.isEmpty && body.allSatisfy { $0.isUnreserved || "+/".utf8.contains($0) }
    }

    /// All texts that printing can produce for a value.
    static func printed(_ value: Any, dumping: Bool = true) -> String {
        var text = "\(value)\n\(String(reflecting: value))\n"
        if dumping { dump(value, to: &text) }
        if let underlying = (value as? NetworkError)?.underlying { text += printed(underlying) }
        return text
    }
}
