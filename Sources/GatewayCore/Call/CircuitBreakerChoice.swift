/// Which circuit breaker guards the attempts of a call. An engine without circuit breakers ignores it.
///
/// The value is one pointer wide: most calls have none, and every call's options and context have room for it.
@nonexhaustive
public enum CircuitBreakerChoice: Hashable, Sendable {
    /// Those of the engine: of the host, and of the operation.
    case engine
    /// The engine's breaker of this name, in place of the others. The name must come from the program's text, not from its
    /// input.
    indirect case named(String)
    /// None.
    case off
}
