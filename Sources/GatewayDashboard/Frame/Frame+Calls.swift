import GatewayCore
import GatewayJSON
import GatewayTelemetry

extension KeptCalls.Listed {
    /// The call as the page gets it.
    var json: [UInt8] { CallRecord.bounded { json(stepLimit: $0) } }

    private func json(stepLimit: Int) -> [UInt8] {
        JSONText.object { writer in
            writer.text("id", call.id.hexadecimal)
            writer.text("in", (isRecent ? "r" : "") + (isFailed ? "f" : "") + (isSlow ? "s" : ""))
            writer.milliseconds("t", call.end.time)
            writer.milliseconds("ms", call.end.nanoseconds)
            call.writePlace(to: &writer)
            call.writeOutcome(to: &writer)
            writer.count("attempts", call.end.attempts)
            writer.text("side", call.side?.rawValue)
            writer.text("hint", call.hint, limit: JSONWriter.textLimit)
            writer.text("trace", call.traceID)
            call.writeSteps(stepLimit, to: &writer)
        }
    }
}

extension CallRecord {
    /// A call in progress as the page gets it.
    ///
    /// - Parameter now: nanoseconds from the start of the collector.
    func openJSON(at now: UInt64) -> [UInt8] { Self.bounded { openJSON(at: now, stepLimit: $0) } }

    /// A call with its steps, or with the first ones if it is large. No call is so large that it has no room in a frame.
    fileprivate static func bounded(_ json: (_ stepLimit: Int) -> [UInt8]) -> [UInt8] {
        let whole = json(stepLimit)
        return whole.count <= 6 << 10 ? whole : json(stepLimit / 4)
    }

    private func openJSON(at now: UInt64, stepLimit: Int) -> [UInt8] {
        JSONText.object { writer in
            writer.text("id", id.hexadecimal)
            writer.milliseconds("t", now)
            writer.milliseconds("ms", now - min(now, begin))
            writePlace(to: &writer)
            writer.text("outcome", "open")
            writer.count("attempts", attemptCount)
            writeSteps(stepLimit, to: &writer)
        }
    }

    private var attemptCount: Int {
        steps.count { step in
            if case .attempt = step.kind { step.wasSent } else { false }
        }
    }

    fileprivate func writePlace(to writer: inout JSONWriter) {
        if let operation {
            writer.text("op", operation.id)
            if !operation.template.isEmpty { writer.text("template", operation.template) }
        }
        writer.text("method", method.rawValue)
        writer.text("origin", "\(origin)")
        writer.text("curl", curl, limit: 2_000)
    }

    /// A command that makes such a call: with the template in place of the path, and placeholders for the credential, the
    /// content, and segments of the base path that are not shown. It is one line of printable ASCII, whatever the template has.
    var curl: String {
        let template = operation?.template ?? ""
        var path = template.isEmpty ? "/{path}" : template.hasPrefix("/") ? template : "/" + template
        if !template.isEmpty { path = origin.basePath.replacing("…", with: "{path}") + path }
        let url = Self.encoded("\(origin)\(path.cut(to: 200))")
        var text = "curl "
        // curl takes these characters for sets and ranges of URLs.
        if url.utf8.contains(where: { "{}[]".utf8.contains($0) }) { text += "-g " }
        switch method {
        case .get: break
        case .head: text += "--head "
        default: text += "-X \(Self.quoted(Self.encoded(method.rawValue.cut(to: 40)))) "
        }
        text += "\(Self.quoted(url)) -H 'Authorization: Bearer <token>'"
        if [.post, .put, .patch].contains(method) { text += " --data '<body>'" }
        return text
    }

    /// The text with each byte that is no printable ASCII encoded (RFC 3986 §2.1).
    private static func encoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            if (0x21...0x7E).contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + [byte].hexadecimal.uppercased()
            }
        }
    }

    /// One word of a shell.
    private static func quoted(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0.isAlphanumeric || $0 == UInt8(ascii: "-") }), !text.isEmpty {
            return text
        }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
            + "'"
    }

    fileprivate func writeSteps(_ limit: Int, to writer: inout JSONWriter) {
        if joinedCount > 0 {
            writer.count("callers", joinedCount + 1)
            writer.name("joined_by")
            writer.beginArray()
            for id in joined { writer.string(id.hexadecimal) }
            writer.endArray()
        }
        writer.text("leader", leader?.hexadecimal)
        // Waits are recorded at their end.
        let shown = steps.sorted { $0.begin < $1.begin }.prefix(limit)
        writer.objects("steps", shown) { $1.write(to: &$0, from: begin) }
        let omitted = omittedSteps + steps.count - shown.count
        if omitted > 0 { writer.count("steps_omitted", omitted) }
    }
}

extension CallRecord {
    /// 32 hexadecimal digits; `nil` without a trace.
    fileprivate var traceID: String? {
        let (high, low) = end.trace
        return high == 0 && low == 0 ? nil : high.hexadecimal + low.hexadecimal
    }

    fileprivate func writeOutcome(to writer: inout JSONWriter) {
        switch end.outcome {
        case .status(let status):
            writer.text("outcome", status < 400 ? "succeeded" : "error_response")
            writer.count("status", status)
        case .cancelled: writer.text("outcome", "cancelled")
        case .error(let cause):
            writer.text("outcome", "error")
            writer.text("error", cause.code.name)
            writer.text("phase", cause.phase?.rawValue)
            writer.text("cause", cause.underlying?.name)
            writer.text("server_error", cause.serverCode)
            writer.count("status", cause.status)
            if let origin = cause.origin, origin != self.origin {
                writer.text("failed_origin", "\(origin)")
            }
        }
    }
}

extension CallStep {
    /// - Parameter start: the beginning of the call.
    fileprivate func write(to writer: inout JSONWriter, from start: UInt64) {
        writer.text("k", name)
        writer.milliseconds("t", begin - min(begin, start))
        writer.milliseconds("d", nanoseconds)
        switch kind {
        case .attempt(let info): writeAttempt(info, to: &writer)
        case .joined(let leader): writer.text("leader", leader.hexadecimal)
        case .redirected(let target): writer.text("to", "\(target)")
        case .rejected(let generation), .replayed(let generation):
            writer.name("generation")
            writer.integer(generation)
        case .cache(let result): writer.text("result", result.rawValue)
        case .cacheStored(let bytes): writer.count("bytes", bytes)
        case .hedgeDecided(let outcome): writer.text("winner", outcome.rawValue)
        case .notRetried(let refusal): writer.text("reason", refusal.name)
        case .rateLimited(let duration): writer.milliseconds("for_ms", duration)
        case .fallback(let step): writer.text("step", step)
        case .token, .admission, .rateGate, .retry, .hedged, .bodyFailed: break
        }
        switch result {
        case .status(let status): writer.count("status", status)
        case .error(let code, let phase):
            writer.text("error", code.name)
            writer.text("phase", phase?.rawValue)
        case nil: break
        }
    }

    private var name: String {
        switch kind {
        case .attempt: "attempt"
        case .token: "token"
        case .admission: "admission"
        case .rateGate: "rate_gate"
        case .retry: "retry"
        case .joined: "joined"
        case .redirected: "redirected"
        case .rejected: "rejected"
        case .replayed: "replayed"
        case .cache: "cache"
        case .cacheStored: "cache_stored"
        case .hedged: "hedged"
        case .hedgeDecided: "hedge_decided"
        case .notRetried: "not_retried"
        case .rateLimited: "rate_limited"
        case .fallback: "fallback"
        case .bodyFailed: "body_failed"
        }
    }

    private func writeAttempt(_ info: AttemptInfo, to writer: inout JSONWriter) {
        writer.count("n", info.number)
        writer.text("why", info.reason.rawValue)
        if !wasSent { writer.flag("sent", false) }
        if let connection {
            writer.text("http", connection.version?.rawValue)
            writer.text(
                "peer",
                connection.address.map { address in
                    connection.port.map { "\(address.contains(":") ? "[\(address)]" : address):\($0)" }
                        ?? address
                })
        }
        guard let timings = phases?.timings else { return }
        writer.flag("reused", timings.isReused)
        let phases: [(String, Duration?)] = [
            ("queue", timings.queue), ("dns", timings.resolve), ("connect", timings.connect),
            ("tls", timings.tls), ("first_byte", timings.firstByte), ("receive", timings.receive),
        ]
        writer.objects("phases", phases.lazy.filter { $0.1 != nil }) { writer, phase in
            writer.text("k", phase.0)
            writer.milliseconds("d", phase.1)
        }
    }
}
