import Foundation
import GatewayCore
import Testing

@Suite struct ErrorGuidanceTests {
    private static let codes: [(NetworkError.Code, ErrorGuidance)] = [
        (NetworkError.signedOut, ErrorGuidance.signIn), (.reauthenticationRequired, .signIn),
        (.interactionRequired, .signIn), (.tokenUnavailable, .retry), (.tokenStoreFailed, .retry),
        (.tokenOutcomeUnknown, .retry), (.credentialMisconfigured, .report), (.credentialMissing, .report),
        (.insecureOrigin, .report), (.tokenResponseMalformed, .report), (.tokenExpiredOnArrival, .report),
        (.refreshSuspended, .report), (.invalidRequest, .correctRequest), (.invalidURL, .correctRequest),
        (.bodyFailed, .correctRequest), (.responseTooLarge, .correctRequest), (.decodingFailed, .report),
        (.malformedResponse, .report), (.misconfigured, .report), (.closed, .report),
        (.redirectRefused, .report), (.tlsFailure, .report), (.pinningFailure, .report),
        (.noConnection, .retry), (.dnsFailure, .retry), (.connectionRefused, .retry), (.proxyFailure, .retry),
        (.timeout, .retry), (.connectionLost, .retry), (.truncated, .retry), (.overloaded, .retry),
        (.bodyNotReplayable, .retry), (.cancelled, .ignore), (.other, .report),
        (.unacceptableStatus, .report),
    ]

    @Test(arguments: codes)
    func ofACode(code: NetworkError.Code, guidance: ErrorGuidance) {
        #expect(NetworkError(code, "m").guidance == guidance)
        #expect((NetworkError(code, "m") as any GatewayCallError).guidance == guidance)
    }

    /// The page on errors has every code that the libraries declare, in the row of its guidance.
    @Test func thePageListsEveryCode() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources").standardizedFileURL
        let page = try String(
            contentsOf: sources.appending(path: "GatewayClient/GatewayClient.docc/Errors.md"), encoding: .utf8
        )
        var rows: [String: String] = [:]
        for line in page.split(separator: "\n") where line.hasPrefix("| `") {
            let guidance = line.dropFirst(3).prefix { $0 != "`" }
            for code in line.matches(of: #/`([a-z]+(?:_[a-z]+)*)`/#) {
                rows[String(code.output.1)] = String(guidance)
            }
        }
        for (code, guidance) in Self.codes where code != .unacceptableStatus {
            #expect(rows[code.name] == guidance.rawValue, "\(code)")
        }
        let paths = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? []
        var declared = 0
        for path in paths where path.contains("NetworkError+") || path.hasPrefix("GatewayOpenAPI/") {
            guard path.hasSuffix(".swift") else { continue }
            let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            for code in text.matches(of: #/Code\(\s*"([a-z_]+)",\s*category:/#) {
                declared += 1
                let name = String(code.output.1)
                #expect(rows[name] != nil || name == "unacceptable_status", "\(name) in \(path)")
            }
        }
        #expect(declared > Self.codes.count)
    }

    @Test func ofACodeOfOnesOwn() {
        #expect(NetworkError.Code("a", category: .transient).guidance == .retry)
        #expect(NetworkError.Code("a", category: .permanent, isTransient: true).guidance == .retry)
        #expect(NetworkError.Code("a", category: .authentication).guidance == .signIn)
        #expect(NetworkError.Code("a", category: .business).guidance == .correctRequest)
        #expect(NetworkError.Code("a", category: .device).guidance == .report)
        #expect(NetworkError.Code("a", category: .permanent).guidance == .report)
        let own = NetworkError.Code("a", category: .permanent, guidance: .requestAccess)
        #expect(own.guidance == .requestAccess)
    }

    @Test(arguments: [
        (400, ErrorGuidance.correctRequest), (404, .correctRequest), (405, .correctRequest),
        (409, .correctRequest), (410, .correctRequest), (412, .correctRequest), (418, .correctRequest),
        (422, .correctRequest), (401, .signIn), (511, .signIn), (402, .requestAccess), (403, .requestAccess),
        (407, .report), (408, .retry), (423, .retry), (425, .retry), (429, .retry), (502, .retry),
        (503, .retry), (504, .retry), (500, .report), (501, .report), (505, .report), (200, .report),
        (302, .report), (999, .report),
    ])
    func ofAStatus(status: Int, guidance: ErrorGuidance) {
        #expect(ErrorGuidance(status: status) == guidance)
        #expect(NetworkError(.unacceptableStatus, "m", status: status).guidance == guidance)
        // Of any other code the status says nothing.
        #expect(NetworkError(.decodingFailed, "m", status: status).guidance == .report)
    }

    @Test(arguments: [
        (403, ErrorGuidance.retry), (413, .retry), (429, .retry), (500, .retry), (503, .retry),
        (401, .signIn), (202, .report), (301, .report),
    ])
    func aWaitMakesItARetry(status: Int, guidance: ErrorGuidance) {
        #expect(ErrorGuidance(status: status, retryAfter: .seconds(1)) == guidance)
        let error = NetworkError(.unacceptableStatus, "m", retryAfter: .seconds(1), status: status)
        #expect(error.guidance == guidance)
    }

    @Test func peopleAreToldToSignInOnlyWhereItHelps() {
        let signIn = NetworkError(.signedOut, "m").messageForPeople
        #expect(signIn == "Please sign in again.")
        #expect(NetworkError(.unacceptableStatus, "m", status: 401).messageForPeople == signIn)
        let others: [NetworkError.Code] = [
            .tokenUnavailable, .tokenStoreFailed, .tokenOutcomeUnknown, .credentialMisconfigured,
            .credentialMissing, .insecureOrigin, .tokenResponseMalformed, .tokenExpiredOnArrival,
            .refreshSuspended,
        ]
        for code in others {
            let text = NetworkError(code, "m").messageForPeople
            #expect(!text.contains("sign in"), "\(code)")
            #expect(text.hasSuffix("."))
        }
        let busy = "The service is busy or unreachable at the moment. Please try again shortly."
        #expect(NetworkError(.tokenUnavailable, "m").messageForPeople == busy)
        #expect(
            NetworkError(.unacceptableStatus, "m", status: 403).messageForPeople
                == "You do not have permission to do this.")
        #expect(
            NetworkError(.noConnection, "m").messageForPeople
                == "There is a problem with the connection. Check the network and try again.")
        #expect(
            NetworkError(.tlsFailure, "m").messageForPeople
                == "A secure connection to the service could not be made.")
        #expect(
            NetworkError(.unacceptableStatus, "m", status: 409).messageForPeople
                == "The service declined the request.")
        #expect(NetworkError(.cancelled, "m").messageForPeople == "The request was cancelled.")
    }
}
