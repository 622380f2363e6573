/// What may be printed although it is text.
enum Printable {
    /// Types without a specimen, whose values are printed as they are, and why they may be.
    ///
    /// Protocols, enums whose cases carry nothing, and types that cannot be copied need no entry: the scanner sees that
    /// there is nothing to print.
    static let reasons: [String: String] = [
        "GatewayCore.HTTPField.Name": "the names of header fields may be printed",
        "GatewayCore.HTTPMethod": "a method may be printed",
        "GatewayCore.PlainHTTPHosts": "names of hosts that the program chose",
        "GatewayCore.NetworkError.Code": "a code is a name that the program chose",
        "GatewayCore.QueueEvent": "numbers, names of states, statuses and codes of errors",
        "GatewayJSON.Field": "a value of the caller's model; wraps what it is given",
        "GatewayJSON.JSONError": "holds the names of properties and no values, see its documentation",
        "GatewayJSON.JSONError.Code": "a code is a name that the library chose",
        "GatewayJSON.JSONNumber": "a value of the caller's model",
        "GatewayJSON.JSONValue": "a value of the caller's model",
        "GatewayJSON.JSONValue.Content": "a value of the caller's model",
        "GatewayJSON.NamePatterns": "the patterns of a document",
        "GatewayJSON.UnknownProperties": "a value of the caller's model",
        "GatewayTesting.ChaosProxy.Failure": "a text of the library and the path of a program",
        "GatewayAuth.JSONWebTokenError": "a code and a text of the library",
        "GatewayAuth.JSONWebTokenError.Code": "a code is a name that the library chose",
        "GatewayAuth.JSONWebTokenType": "a media type that the program chose",
        "GatewayAuth.JSONWebKeyError": "a code and a text of the library",
        "GatewayAuth.JSONWebKeyError.Code": "a code is a name that the library chose",
        "GatewayAuth.TokenExchange.TokenType": "a URI that names a kind of token",
        "GatewayDashboard.GatewayDashboard.Address": "a port, or the path of a socket that the program chose",
        "GatewayOfflineQueue.DrainReport": "numbers and a hold",
        "GatewayOfflineQueue.QueueAccount": "the name of an account tells whose a request is",
        "GatewayOfflineQueue.QueueBackoff": "numbers",
        "GatewayOfflineQueue.QueueCompletion.Result": "a result and a time",
        "GatewayOfflineQueue.QueueEntry.ID": "a number",
        "GatewayOfflineQueue.QueueEntry.State": "a state is a name that the library chose",
        "GatewayOfflineQueue.QueueError": "a code and a text of the library, and the name of a property",
        "GatewayOfflineQueue.QueueError.Code": "a code is a name that the library chose",
        "GatewayOfflineQueue.QueueExchange": "results, and leases, which are redacted",
        "GatewayOfflineQueue.QueueInsertion": "numbers of entries",
        "GatewayOfflineQueue.QueueLeaseResult": "numbers of entries, and leases, which are redacted",
        "GatewayOfflineQueue.QueueLimits": "numbers",
        "GatewayOfflineQueue.QueueOutlook": "numbers, times and names of accounts",
        "GatewayOfflineQueue.QueueOwner": "a random number",
        "GatewayOfflineQueue.QueueRecovery": "numbers and a path that the program chose",
        "GatewayOfflineQueue.QueueStatus": "numbers and a hold",
        "GatewayOfflineQueue.QueueStatus.Hold": "a case, or the code of an error",
        "GatewayOfflineQueue.QueueTime": "a number",
        "GatewayOfflineQueue.QueueVerdict": "a verdict and a duration",
        "GatewayOfflineQueue.QueueWaitReason": "a case with numbers and times",
        "GatewayOpenAPI.ArrayPage": "a value of the caller's model",
        "GatewayOpenAPI.AsText": "a value of the caller's model",
        "GatewayOpenAPI.Base64Data": "a value of the caller's model",
        "GatewayOpenAPI.Base64URLData": "a value of the caller's model",
        "GatewayOpenAPI.Boxed": "a value of the caller's model",
        "GatewayOpenAPI.CalendarDate": "a value of the caller's model",
        "GatewayOpenAPI.CalendarDuration": "a value of the caller's model",
        "GatewayOpenAPI.CodableValue": "a value of the caller's model; wraps what it is given",
        "GatewayOpenAPI.ConstraintViolation.Constraint": "the name of a JSON Schema keyword",
        "GatewayOpenAPI.URI": "a value of the caller's model",
        "GatewayOpenAPI.WebhookError.Code": "a code is a name that the library chose",
    ]

    /// The stored properties of public types, and of types inside them, that can hold text and are printed. The names of
    /// issuers, clients and users tell whose a token is; they are no secrets.
    static let texts = Set(
        properties.flatMap { type, names in names.split(separator: " ").map { "\(type).\($0)" } })

    private static let properties = [
        // Names that a part of the program gives itself.
        "GatewayCore.PartHealth": "counts name state",
        // Issuer, client and scopes: labels, without query and subject.
        "GatewayCore.TokenHealth": "label",
        "GatewayCore.TokenEvent": "label",
        // Names of circuit breakers come from the program's text. Those of rate limits come from the server: tokens of at
        // most 64 bytes.
        "GatewayCore.CircuitBreakerChoice": "named",
        "GatewayCore.StateEvent.Kind": "circuitClosed rateGateOpened rateLimitFieldIgnored",
        "GatewayResilience.CachePolicy": "stalenessBudgets statusName",
        "GatewayResilience.CacheStoreError.Code": "name",
        "GatewayResilience.CircuitBreakerRegistry.Key": "named",
        "GatewayResilience.RateGate.Limit": "name",
        "GatewayCore.ConnectionInfo": "address",
        "GatewayNetworkMonitor.NetworkInterface": "name",
        // Paths are shown to people without their query. Reasons are statuses and codes of errors.
        "GatewayOfflineQueue.QueueCompletion": "reason",
        "GatewayOfflineQueue.QueueEntry": "path reason",
        "GatewayOfflineQueue.QueueEntry.State": "name",
        "GatewayCore.CredentialIdentity": "account key",
        "GatewayCore.HTTPField.Name": "rawName",
        // The ID that a server gave to a request: at most 128 letters, digits and a few other characters, and no JSON Web
        // Token. The code of an authorization server is a registered one.
        "GatewayCore.FailureCause": "requestID serverCode",
        "GatewayCore.HTTPMethod": "rawValue",
        "GatewayCore.NetworkError.Code": "name",
        "GatewayCore.Operation.Parts": "id template",
        // The path of the program's own base URL, without long segments.
        "GatewayCore.Origin.Parts": "basePath host",
        "GatewayCurl.CurlConfiguration.Detour": "host toHost",
        "GatewayCurl.CurlConfiguration.Resolution": "host addresses",
        "GatewayAuth.AccessTokenType": "scheme",
        "GatewayAuth.CredentialScope": "stepUpScopes",
        "GatewayAuth.JSONWebKeyError": "message",
        "GatewayAuth.JSONWebKeyError.Code": "name",
        "GatewayAuth.JSONWebTokenRequirements": "audience issuer",
        "GatewayAuth.JSONWebTokenType": "name",
        // A status or the code of an error.
        "GatewayTelemetry.ExportCounts": "lastFailure",
        // Scopes of the program's own request.
        "GatewayCore.TokenEvent.Kind": "scopesNarrowed",
        "GatewayAuth.TokenKey": "audiences binding canonical client issuer resources scopes subject tenant",
        "GatewayOpenAPI.ConstraintViolation": "bound path subject",
        "GatewayOpenAPI.ConstraintViolation.Constraint": "name",
        "GatewayOpenAPI.OperationDescriptor": "accept",
        "GatewayOpenAPI.SecurityOptions": "origins preferred",
        "GatewayOpenAPI.TokenScopes": "exactly",
        "GatewayOpenAPI.WebhookError": "field message",
        "GatewayOpenAPI.WebhookError.Code": "name",
        "GatewayClient.GatewayEnvironment.Variable": "expected fallback name summary",
        "GatewayClient.GatewayEnvironmentError.Problem": "message variable",
        // What the test kit has seen is there to be printed; a request ID is no secret.
        "GatewayTesting.EmbeddedGateway.Access": "alternatives",
        "GatewayTesting.EmbeddedGateway.JournalEntry": "path requestID",
        "GatewayTesting.EmbeddedGateway.StartError": "message",
        "GatewayTesting.EmbeddedGateway.Statistics": "tokenRequests",
        "GatewayTesting.EmbeddedGateway.Statistics.Key": "path",
        "GatewayTesting.EmbeddedGateway.TokenClaims": "clientID id issuer keyThumbprint scopes subject",
    ]
}
