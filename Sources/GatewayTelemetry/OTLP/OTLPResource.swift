import GatewayCore

/// What sends telemetry: the process, and this library as the instrumentation.
struct OTLPResource: Sendable {
    static let scopeName = "gateway-client"
    /// The attribute names are those of this version of the conventions.
    static let schemaURL = "https://opentelemetry.io/schemas/1.44.0"

    /// The attributes of the process, such as `service.name`.
    let attributes: [FinishedSpan.Attribute]

    /// - Parameter attributes: those of the program. The SDK's own are added.
    init(_ attributes: [String: String]) {
        let own = [
            "telemetry.sdk.name": "gateway-client", "telemetry.sdk.language": "swift",
            "telemetry.sdk.version": LibraryVersion.text,
        ]
        let named = attributes["service.name"] == nil ? ["service.name": "unknown_service"] : [:]
        self.attributes = own.merging(named) { $1 }.merging(attributes) { $1 }
            .sorted { $0.key < $1.key }.map { FinishedSpan.Attribute($0.key, $0.value) }
    }

    /// A request: the resource, the scope, and the records of one signal.
    ///
    /// - Parameters:
    ///   - outer: the field of the request, such as `resourceSpans`.
    ///   - inner: the field of it, such as `scopeSpans`.
    ///   - name: the field of that, such as `spans`.
    func request(_ outer: String, _ inner: String, _ name: String, _ records: [OTLPMessage]) -> OTLPMessage {
        // ResourceSpans: resource = 1, scope_spans = 2, schema_url = 3. ScopeSpans: scope = 1, spans = 2, schema_url = 3.
        // Metrics and logs have the same numbers.
        let scope = OTLPMessage([
            (
                1, "scope",
                .message(
                    OTLPMessage([
                        (1, "name", .text(Self.scopeName)), (2, "version", .text(LibraryVersion.text)),
                    ]))
            ),
            (2, name, .messages(records)), (3, "schemaUrl", .text(Self.schemaURL)),
        ])
        let resource = OTLPMessage([
            (1, "resource", .message(OTLPMessage([(1, "attributes", .attributes(attributes))]))),
            (2, inner, .messages([scope])), (3, "schemaUrl", .text(Self.schemaURL)),
        ])
        return OTLPMessage([(1, outer, .messages([resource]))])
    }
}
