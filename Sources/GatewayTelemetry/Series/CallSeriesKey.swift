import GatewayCore

/// What durations of calls and attempts are grouped by.
struct CallSeriesKey: Hashable, Sendable {
    /// How a call or an attempt ended.
    enum Outcome: Hashable, Sendable {
        case status(Int)
        /// With the name of the error's code, and the status of the response whose content failed.
        // Indirect, because it is large and rare.
        indirect case error(String, status: Int? = nil)
        case cancelled

        init(_ code: NetworkError.Code, status: Int? = nil) {
            self = code == .cancelled ? .cancelled : .error(code.name, status: status)
        }
    }

    let operation: Operation?
    let origin: Origin
    let method: HTTPMethod
    let outcome: Outcome

    init(_ event: borrowing RequestEvent, _ outcome: Outcome) {
        operation = event.operation
        origin = event.origin
        method = event.method.metricName
        self.outcome = outcome
    }
}

/// What calls in progress are grouped by.
struct ActiveKey: Hashable, Sendable {
    let origin: Origin
    let method: HTTPMethod

    init(_ event: borrowing RequestEvent) {
        origin = event.origin
        method = event.method.metricName
    }
}

extension HTTPMethod {
    /// The method, or `_OTHER` if it is not registered: its number of values must be bounded (OpenTelemetry, HTTP
    /// conventions).
    var metricName: HTTPMethod {
        switch rawValue {
        case "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT", "QUERY": self
        default: Self.otherMethod
        }
    }

    private static let otherMethod = HTTPMethod("_OTHER")
}
