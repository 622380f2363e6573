import GatewayTesting
import Testing

/// Waits until a condition is true. Records an issue and returns false if that takes more than 30 s.
@discardableResult
func eventually(
    _ condition: () async -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async -> Bool {
    if await isEventually(condition) { return true }
    Issue.record("the condition did not become true within 30 s", sourceLocation: sourceLocation)
    return false
}
