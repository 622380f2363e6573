import GatewayCore

extension Side {
    /// The side of a status of 400 or more.
    init(status: Int) {
        switch status {
        case 401, 403, 407, 511: self = .token
        case 408, 425, 429, 500...: self = .upstream
        default: self = .here
        }
    }

    /// The side of an error.
    init(_ cause: FailureCause) {
        if cause.phase == .credential || cause.code.concernsCredential {
            self = .token
            return
        }
        switch cause.code {
        case .cancelled: self = .caller
        case .circuitOpen, .rateLimited: self = .upstream
        case .connectionRefused: self = .upstream
        case .timeout: self = Self.ofTimeout(cause.phase)
        default:
            if let status = cause.status, cause.code == .unacceptableStatus {
                self = Side(status: status)
                return
            }
            switch cause.code.category {
            case .device: self = .network
            case .authentication: self = .token
            case .permanent, .business: self = .here
            case .transient: self = cause.code.isLocalRejection ? .here : .upstream
            }
        }
    }

    private static func ofTimeout(_ phase: NetworkError.Phase?) -> Side {
        switch phase {
        case .credential: .token
        case .resolve, .connect, .tls, .send: .network
        case .queue, .produce, .consume: .here
        case .firstByte, .receive, .attempt, .call, nil: .upstream
        }
    }
}

extension CallRecord {
    /// Whose matter the failure is; `nil` if the call did not fail.
    var side: Side? {
        switch end.outcome {
        case .status(let status): status >= 400 ? Side(status: status) : nil
        case .error(let cause): Side(cause)
        case .cancelled: .caller
        }
    }

    /// What to do about the failure; `nil` if the call did not fail.
    var hint: String? {
        switch end.outcome {
        case .status(let status): status >= 400 ? ErrorGuidance(status: status).hint : nil
        case .error(let cause): cause.code.guidance.hint
        case .cancelled: nil
        }
    }
}

extension ErrorGuidance {
    fileprivate var hint: String? {
        switch self {
        case .retry: "The same call may succeed later."
        case .signIn: "Sign in again, or replace the credential."
        case .requestAccess: "The credential does not cover this request: request permission or more quota."
        case .correctRequest: "The same request fails again: it has to change."
        case .report:
            "The configuration, the program, the API document or the service has an error: report it."
        case .ignore: nil
        }
    }
}
