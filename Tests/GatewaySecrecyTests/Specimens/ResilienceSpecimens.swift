@testable import GatewayCore
@testable import GatewayCurl
@testable import GatewayResilience

enum CurlSpecimens {
    static func configuration() -> CurlConfiguration {
        var configuration = CurlConfiguration()
        configuration.caFile = "/run/secrets/\(Marker.text)"
        configuration.userAgent = Marker.text
        configuration.clientCertificate = certificate
        configuration.proxy = proxy
        configuration.pinnedKeys = ["sha256//\(Marker.text)"]
        configuration.unixSocketPath = "/run/\(Marker.text)"
        return configuration
    }

    private static var certificate: CurlConfiguration.ClientCertificate {
        CurlConfiguration.ClientCertificate(
            certificateFile: "/run/secrets/\(Marker.text)", keyFile: "/run/secrets/\(Marker.text)",
            keyPassword: Secret(Marker.text))
    }
    private static var proxy: CurlConfiguration.Proxy {
        CurlConfiguration.Proxy(
            host: "proxy.example.com", port: 3128, username: Marker.text, password: Secret(Marker.text))
    }

    static func all() throws -> [Any] {
        var ordinary = CurlConfiguration()
        ordinary.proxy = proxy
        return [
            configuration(), certificate, proxy, CurlConfiguration.Timeouts.standard,
            CurlConfiguration.TCPKeepAlive(),
            CurlConfiguration.Resolution(host: "a.example.com", port: 443, addresses: ["127.0.0.1"]),
            CurlConfiguration.Detour(host: "a.example.com", port: 443, toHost: "b.example.com", toPort: 8443),
            CurlTransport(configuration: ordinary),
        ]
    }
}

enum ResilienceSpecimens {
    static func all() throws -> [Any] {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.events = Leaky()
        configuration.retry = Leaky()
        let store = HSTSPolicyStore()
        var context = RequestContext()
        context.credentials = LeakyCredential()
        let request = try HTTPRequest(
            .get, "https://api.example.com/?key=\(Marker.token)", fields: ["Cookie": Marker.text],
            body: .bytes(Marker.bytes))
        let breakers = try CircuitBreakerRegistry()
        configuration.circuitBreakers = breakers
        return [
            breakers, breakers.breaker(for: "orders"), CircuitBreakerRegistry.Key.named("orders"),
            CircuitBreaker.State.closed, CircuitBreakerPolicy.standard, CircuitBreakerPolicy.Verdict.ignored,
            CircuitBreakerPolicy.Rate(share: 1, minimumCalls: 1, window: .seconds(1)),
            CircuitBreaker.Transition(from: .closed, to: .open, instant: .now, openFor: .seconds(1)),
            RetryExecutor(Leaky()), configuration,
            AsyncRequestEngine(transport: Leaky(), configuration: configuration),
            CoalescingEngine(below: Leaky()), RequestIdentity(request, context: context) as Any,
            CallEntryEngine(below: Leaky(), deadline: nil, events: Leaky()), RedirectEngine(below: Leaky()),
            RedirectPolicy(), RetryBudget.standard, TimeoutAlert.standard, Backoff.immediate,
            Backoff.fixed(.zero),
            ExponentialRetryPolicy(),
            Backoff.exponential(base: .zero, cap: .zero), Jitter.full, Jitter.proportional(1),
            Jitter.additive(1), RetryEngine(below: Leaky(), policy: Leaky()), store,
            StrictTransportEngine(below: Leaky(), store: store),
            StrictTransportRecorder(below: Leaky(), store: store),
        ]
    }
}
