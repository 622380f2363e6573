import CommandArguments
import GatewayClient

extension ParsedArguments {
    /// The time that an option gives.
    func duration(_ name: String) throws(UsageError) -> Duration? {
        guard let text = value(name) else { return nil }
        guard let duration = DurationText.parse(text) else {
            throw error("\(name) must be a time such as 500ms, 10s or 2m")
        }
        return duration
    }
}
