import GatewayClient
import GatewayTesting

@testable import GatewayTelemetry

/// A tracer whose spans are kept, and an engine with it.
final class SpanRecorder: Sendable {
    let clock = ManualClock()
    let tracer: ClientTracer
    private let recorded: Kept

    final class Kept: Sendable {
        let list = Locked<[FinishedSpan]>([])
    }

    init(_ change: (inout ClientTracer.Options) -> Void = { _ in }) {
        var options = ClientTracer.Options()
        change(&options)
        let kept = Kept()
        recorded = kept
        tracer = ClientTracer(options: options, clock: clock, random: SeededRandomSource(seed: 7)) { span in
            kept.list.withLock { $0.append(span) }
        }
    }

    /// The spans that have ended, in order.
    var spans: [FinishedSpan] { recorded.list.withLock { $0 } }

    func engine(
        _ transport: any Transport, _ change: (inout AsyncRequestEngine.Configuration) -> Void = { _ in }
    ) -> AsyncRequestEngine {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.clock = clock
        configuration.events = tracer
        configuration.retry.policy = ExponentialRetryPolicy(
            maximumAttempts: 3, backoff: .immediate, jitter: .proportional(0))
        change(&configuration)
        return AsyncRequestEngine(transport: transport, configuration: configuration)
    }
}

extension FinishedSpan {
    /// The value of an attribute as text.
    func attribute(_ key: String) -> String? {
        guard let value = attributes.first(where: { $0.key == key })?.value else { return nil }
        return switch value {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        }
    }
}
