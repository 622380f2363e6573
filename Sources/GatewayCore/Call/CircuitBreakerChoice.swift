/// The circuit breaker of a call's attempts. An engine without circuit breakers ignores it.
///
/// The value is one pointer wide, because most calls have none, but each call's options and context contain one.
@nonexhaustive
public enum CircuitBreakerChoice: Hashable, Sendable {
    /// The breakers of the engine: those of the host and of the operation.
    case engine
    /// The engine's breaker of this name, instead of the others. Names must be constants of the program, not input.
    indirect case named(String)
    /// None.
    case off
}
