import GatewayCore
import GatewayCurl
import Testing

@testable import GatewayCurl

/// Each limit of time is named with its value, the server and what the exchange was waiting for.
@Suite struct TimeoutMessageTests {
    private static let limits = TransferLimits(
        queue: 1_000_000_000, connect: 10_000_000_000, firstByte: 30_000_000_000, read: 120_000_000_000,
        write: 500_000_000, whole: 90_000_000_000)

    private func text(
        _ limit: NetworkError.Phase, _ phase: NetworkError.Phase,
        callLimit: Duration? = nil, configuration: CurlConfiguration = CurlConfiguration()
    ) throws -> String {
        TimeoutMessage.text(
            limit, at: phase, limits: Self.limits, callLimit: callLimit,
            peer: Peer(try Origin("https://api.example.com"), configuration))
    }

    @Test(
        arguments: [
            (
                .queue, .queue,
                "No connection to api.example.com:443 became free within 1 s (timeouts.queue): allow more "
                    + "connections, or send fewer requests at a time."
            ),
            (
                .connect, .resolve,
                "The name api.example.com did not resolve within 10 s (timeouts.connect)."
            ),
            (
                .connect, .connect,
                "No connection to api.example.com:443 within 10 s (timeouts.connect)."
            ),
            (
                .connect, .tls,
                "No TLS session with api.example.com:443 within 10 s (timeouts.connect): check that the port "
                    + "speaks TLS."
            ),
            (
                .send, .send,
                "api.example.com:443 accepted no data of the request body for 500 ms (timeouts.write)."
            ),
            (
                .firstByte, .firstByte,
                "No response from api.example.com:443 within 30 s (timeouts.firstByte)."
            ),
            (
                .receive, .receive,
                "No more data of the response from api.example.com:443 for 2 min (timeouts.read)."
            ),
            (
                .attempt, .receive,
                "The attempt did not finish within 90 s (timeouts.whole): time ran out while receiving the response "
                    + "from api.example.com:443."
            ),
        ] as [(NetworkError.Phase, NetworkError.Phase, String)])
    func everyLimitIsNamed(
        limit: NetworkError.Phase, phase: NetworkError.Phase, expected: String
    ) throws {
        #expect(try text(limit, phase) == expected)
    }

    @Test(
        arguments: [
            (.queue, "waiting for a free connection to api.example.com:443"),
            (.resolve, "resolving the name api.example.com"),
            (.connect, "connecting to api.example.com:443"),
            (.tls, "waiting for the TLS handshake with api.example.com:443"),
            (.send, "sending the request to api.example.com:443"),
            (.produce, "waiting for the stream of the request body for api.example.com:443"),
            (.firstByte, "waiting for the first byte of the response from api.example.com:443"),
            (.receive, "receiving the response from api.example.com:443"),
            (.consume, "waiting for the reader of the response from api.example.com:443"),
        ] as [(NetworkError.Phase, String)])
    func theDeadlineNamesWhatItInterrupted(
        phase: NetworkError.Phase, expected: String
    ) throws {
        #expect(
            try text(.call, phase, callLimit: .seconds(10))
                == "The call's deadline of 10 s passed while \(expected).")
        #expect(try text(.call, phase) == "The call's deadline passed while \(expected).")
    }

    @Test func whatStandsInBetweenIsNamed() throws {
        let proxied = CurlConfiguration {
            $0.proxy = .init(host: "proxy.example", port: 3128, username: "me", password: Secret("s3cret"))
        }
        #expect(
            try text(.connect, .connect, configuration: proxied)
                == "No connection to the proxy proxy.example:3128 within 10 s (timeouts.connect).")
        #expect(
            try text(.connect, .resolve, configuration: proxied)
                == "The name proxy.example did not resolve within 10 s (timeouts.connect).")
        let detoured = CurlConfiguration {
            $0.detours = [.init(host: "API.example.com", port: 443, toHost: "10.0.0.1", toPort: 8443)]
        }
        #expect(
            try text(.connect, .connect, configuration: detoured)
                == "No connection to 10.0.0.1:8443 (detour for api.example.com:443) within 10 s (timeouts.connect)."
        )
        let local = CurlConfiguration { $0.unixSocketPath = "/private/s3cret.sock" }
        #expect(
            try text(.connect, .connect, configuration: local)
                == "No connection to the Unix domain socket for api.example.com:443 within 10 s (timeouts.connect)."
        )
    }
}
