import GatewayClient
import GatewayNetworkMonitor

// The examples of Network.md.

protocol DrainedQueue { func drain() async }
protocol StatusBanner { func show(_ text: String) }
protocol ReconnectingStream { func reconnect() async }

func engineThatKnowsItsNetwork() throws {
    let monitor = try ReachabilityMonitor()
    var configuration = GatewayConfiguration()
    configuration.network = monitor
    configuration.protection.circuitBreakers = try CircuitBreakerRegistry(network: monitor)
    let engine = try configuration.makeEngine()
    _ = engine
}

func monitorThatChecksItsOrigins() throws {
    var settings = ReachabilityMonitor.Configuration()
    settings.origins = [try Origin("https://api.example.com")]
    settings.heartbeat = .init()  // off by default
    settings.networkRecheckInterval = .seconds(30)  // the default
    let monitor = try ReachabilityMonitor(configuration: settings)
    _ = monitor
}

func monitorThatFindsPortals(_ settings: inout ReachabilityMonitor.Configuration) {
    settings.portalCheck = PortalCheck(transport: CurlTransport(), path: "/health", expectedText: "ok")
    settings.reportsInterceptedTLS = true
}

func adaptedLimits(_ configuration: inout GatewayConfiguration) {
    configuration.networkAdaptation = NetworkAdaptation()  // off by default
}

func followTheNetwork(
    _ monitor: ReachabilityMonitor, queue: any DrainedQueue, banner: any StatusBanner,
    stream: any ReconnectingStream
) async {
    for await transition in monitor.transitions() {
        switch transition.kind {
        case .online: await queue.drain()
        case .offline: banner.show("No network")
        case .moved: await stream.reconnect()
        @unknown default: break
        }
    }
}
