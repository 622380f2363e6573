/// What is wrong with the variables of a ``GatewayEnvironment``: all of it, so that nobody mends one after the other.
///
/// It names variables and says what they may hold. It never holds what they do, which may be a secret, but for the path of
/// a file in a folder that exists.
public struct GatewayEnvironmentError: Error, Sendable, CustomStringConvertible {
    /// What kind of thing is wrong.
    @nonexhaustive
    public enum Code: String, Hashable, Sendable {
        /// The value is none that the variable may have.
        case invalidValue
        /// Two variables contradict one another, or one is of no use without, or beside, others.
        case conflict
        /// Without this variable others that are set make no sense.
        case missing
        /// The file that the variable names cannot be read, or is empty.
        case unreadableFile
        /// There is no such variable, and its name is close to one that there is.
        case unknownVariable
    }

    /// One thing that is wrong.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// What kind of thing.
        public let code: Code
        /// The variable's name.
        public let variable: String
        /// What is expected, without the variable's name or value.
        public let message: String

        /// `VARIABLE: message`.
        public var description: String { "\(variable): \(message)" }
    }

    /// What is wrong; never empty.
    public let problems: [Problem]

    /// A line for each problem.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
