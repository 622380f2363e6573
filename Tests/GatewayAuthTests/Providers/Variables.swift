import GatewayAuth
import GatewayCore

/// An environment of a test's own.
final class Variables: Sendable {
    private let values = Locked<[String: String]>([:])

    subscript(_ name: String) -> String? {
        get { values.withLock { $0[name] } }
        set { values.withLock { $0[name] = newValue } }
    }

    var lookUp: ProcessEnvironment.LookUp { { [self] in self[$0] } }
}
