internal import GatewayCore
internal import GatewayCurl
internal import GatewayNetworkMonitor

/// What the variables say about watching the network.
struct EnvironmentNetwork: Sendable {
    private let isWatched: Bool
    /// How often the origins are connected to; `nil` for never.
    private let heartbeat: Duration?

    /// The path that is requested to find captive portals; `nil` for none.
    private let portalPath: String?
    /// How calls are adapted to the quality; `nil` for not at all.
    let adaptation: NetworkAdaptation?

    /// - Parameter origins: the origins that the other variables name.
    init(_ reader: inout VariableReader, origins: [Origin]) {
        isWatched = reader.choice(.networkMonitor, ["on": true, "off": false]) ?? false
        heartbeat = reader.value(.networkHeartbeat) { text in
            text == "off" ? .some(nil) : DurationText.parse(text).map { .some($0) }
        }.flatMap { $0 }
        portalPath = reader.value(.networkPortalCheck) { text in
            if text == "off" { return .some(nil) }
            return (try? ParsedURL("http://localhost" + text))?.target == text ? .some(text) : nil
        }.flatMap { $0 }
        let isAdapted = reader.choice(.networkAdaptation, ["on": true, "off": false]) ?? false
        adaptation = isAdapted ? NetworkAdaptation() : nil
        if isAdapted, !isWatched {
            reader.note(
                .conflict, .networkAdaptation,
                "it has no effect unless \(VariableName.networkMonitor) is `on`")
        }
        let checks: [(VariableName, Bool)] = [
            (.networkHeartbeat, heartbeat != nil), (.networkPortalCheck, portalPath != nil),
        ]
        for (name, isSet) in checks where isSet {
            if !isWatched {
                reader.note(.conflict, name, "it has no effect unless \(VariableName.networkMonitor) is `on`")
            }
            if origins.isEmpty {
                reader.note(
                    .missing, .origins,
                    "required by \(name): this variable or \(VariableName.baseURL) names what is checked")
            }
        }
    }

    /// A monitor, if the variables ask for one. Its settings are valid.
    func monitor(of origins: [Origin], over transport: CurlConfiguration) -> (any NetworkConditionSource)? {
        guard isWatched else { return nil }
        var settings = ReachabilityMonitor.Configuration()
        settings.isProxied = transport.proxy != nil || transport.unixSocketPath != nil
        if heartbeat != nil || portalPath != nil { settings.origins = origins }
        if let portalPath {
            settings.portalCheck = PortalCheck(
                transport: CurlTransport(configuration: transport), path: portalPath)
            settings.reportsInterceptedTLS = true
        }
        if let heartbeat {
            settings.networkRecheckInterval = heartbeat
            settings.heartbeat = .init()
        }
        return try? ReachabilityMonitor(configuration: settings)
    }
}
