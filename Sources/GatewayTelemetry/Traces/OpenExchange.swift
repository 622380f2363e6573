import GatewayCore

/// An exchange in progress whose trace is sampled.
struct OpenExchange: Sendable {
    /// The trace and the span of the exchange.
    let position: TraceContext
    /// The position of the call; `nil` if the exchange is the root of its trace.
    let call: TraceContext?
    let callID: UInt64
    let method: HTTPMethod
    let origin: Origin
    let target: String
    let operation: Operation?
    let attempt: AttemptInfo
    /// The exchanges of the call before this one.
    var resendCount: Int
    /// The token requests that the call has waited for.
    var links: [TraceContext] = []
    var timings: ExchangeTimings?

    init(_ request: HTTPRequest, _ context: RequestContext, _ position: TraceContext, resendCount: Int) {
        self.position = position
        call = context.trace
        callID = context.callID
        method = request.method
        origin = request.origin
        target = request.target
        operation = context.operation
        attempt = context.attempt
        self.resendCount = resendCount
    }

    /// The span.
    ///
    /// - Parameter duration: from passing the request to the transport until the result.
    func finished(_ end: AttemptEnd, duration: Duration, time: SpanTime, url: SpanURL) -> FinishedSpan {
        let method = method.metricName
        let name = method == self.method ? method.rawValue : "HTTP"
        let template = operation?.template ?? ""
        return FinishedSpan(
            position: position, parentSpanID: call?.spanID ?? 0,
            hasLocalParent: call?.parentSpanID != nil,
            name: template.isEmpty ? name : name + " " + template, kind: .client,
            startNanoseconds: time.start, endNanoseconds: time.end,
            attributes: attributes(method, template, url, end),
            events: timings?.phases(from: time.start, to: time.end) ?? [], droppedEvents: 0, links: links,
            isError: end.isError)
    }

    private func attributes(
        _ method: HTTPMethod, _ template: String, _ url: SpanURL, _ end: AttemptEnd
    ) -> [FinishedSpan.Attribute] {
        var attributes: [FinishedSpan.Attribute] = []
        attributes.reserveCapacity(12)
        attributes.append(.init("http.request.method", method.rawValue))
        attributes.append(.init("server.address", origin.spanHost))
        attributes.append(.init("server.port", Int(origin.port)))
        attributes.append(.init("url.full", url.text(origin, target, template: template)))
        if method != self.method {
            attributes.append(.init("http.request.method_original", self.method.rawValue))
        }
        if !template.isEmpty { attributes.append(.init("url.template", template)) }
        if let operation { attributes.append(.init("gateway.operation", operation.id)) }
        if resendCount > 0 {
            attributes.append(.init("http.request.resend_count", resendCount))
            attributes.append(.init("gateway.attempt.reason", attempt.reason.rawValue))
        }
        add(end, to: &attributes)
        return attributes
    }

    private func add(_ end: AttemptEnd, to attributes: inout [FinishedSpan.Attribute]) {
        switch end.outcome {
        case .response(let status):
            attributes.append(.init("http.response.status_code", status))
            if end.isError { attributes.append(.init("error.type", "\(status)")) }
        case .error(let code, let phase):
            if let status = end.receivedStatus {
                attributes.append(.init("http.response.status_code", status))
            }
            if end.isError {
                attributes.append(.init("error.type", code.name))
                if let phase { attributes.append(.init("gateway.phase", phase.rawValue)) }
            }
        }
        if let connection = end.connection {
            if let version = connection.version {
                attributes.append(.init("network.protocol.version", version.rawValue))
            }
            if let address = connection.address { attributes.append(.init("network.peer.address", address)) }
            if let port = connection.port { attributes.append(.init("network.peer.port", port)) }
        }
    }
}

extension AttemptEnd {
    /// A cancelled attempt is none.
    fileprivate var isError: Bool {
        switch outcome {
        case .response(let status): status >= 400
        case .error(let code, _): code != .cancelled
        }
    }
}

extension Origin {
    /// `server.address`: an IPv6 address without brackets.
    var spanHost: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }
}

extension ExchangeTimings {
    /// The ends of the phases, as events with the duration of each.
    fileprivate func phases(from start: UInt64, to end: UInt64) -> [FinishedSpan.Event] {
        var time = start.addingClamped(queue.metricNanoseconds)
        var events: [FinishedSpan.Event] = []
        for (name, duration) in [
            ("gateway.dns", resolve), ("gateway.connect", connect), ("gateway.tls", tls),
            ("gateway.first_byte", firstByte),
        ] {
            guard let duration else { continue }
            time = time.addingClamped(duration.metricNanoseconds)
            events.append(
                FinishedSpan.Event(
                    name: name, unixNanoseconds: min(time, end),
                    attributes: [.init("gateway.duration", duration)]))
        }
        return events
    }
}
