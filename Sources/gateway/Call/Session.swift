import GatewayClient
import GatewayDiskCache

/// The stack that the environment describes, and its timeline.
@MainActor
struct Session {
    /// How long the removal of responses may take: another process may use the file of the cache for long.
    private static let removalLimit = Duration.seconds(3)

    let environment: GatewayEnvironment
    let engine: GatewayEngine
    let timeline: Timeline?
    /// Prints the decisions of the layers, if they are asked for.
    let explanation: Explanation?
    let coordinator: TokenRefreshCoordinator?
    private let cache: HTTPCache?
    /// The trace of a call, and where it is sent; `nil` for other commands.
    let telemetry: CallTelemetry?
    /// What became known of the token.
    let notes = TokenNotes()

    /// Reads the environment.
    ///
    /// - Parameters:
    ///   - isVerbose: whether there is a timeline.
    ///   - retries: the number of retries, in place of the environment's.
    ///   - call: the call that is explained; `nil` for a timeline alone.
    ///   - isTraced: whether calls continue the trace of the environment, and are sent to its collector.
    ///   - requiresOrigins: whether a credential needs an origin; `false` for commands that make no calls.
    init(
        isVerbose: Bool, retries: Int? = nil, explaining call: CallArguments? = nil,
        isTraced: Bool = false, requiresOrigins: Bool = true
    ) throws {
        do {
            environment = try GatewayEnvironment(
                caches: ["disk": DiskCacheStore.fromEnvironment], requiresOrigins: requiresOrigins,
                onTokenEvent: { [notes] event in notes.record(event) })
        } catch {
            throw CommandFailure(error)
        }
        let foreign = environment.unknownVariables
        if !foreign.isEmpty {
            Console.complain("unknown variables: " + foreign.joined(separator: ", "))
        }
        let timeline = isVerbose || call != nil ? Timeline() : nil
        self.timeline = timeline
        var configuration = environment.configuration()
        if let retries, var policy = configuration.retry.policy as? ExponentialRetryPolicy {
            policy.maximumAttempts = retries + 1
            configuration.retry.policy = policy
        }
        // A command makes one call, and may be the first to open the file: that has more time than the calls of a service.
        if let cache = configuration.cache, cache.store.isDurable {
            var policy = cache.policy
            policy.storeLimit = .seconds(1)
            configuration.cache = HTTPCache(
                store: cache.store, policy: policy, certificate: cache.certificate)
        }
        explanation =
            if let call, let timeline {
                Explanation(
                    timeline,
                    EffectiveOptions(arguments: call, environment: environment, configuration: configuration))
            } else {
                nil
            }
        let events: (any RequestEventSink)? = explanation ?? timeline
        telemetry = isTraced ? try CallTelemetry(and: events) : nil
        configuration.events = telemetry?.sink ?? events
        coordinator = configuration.authentication?.coordinator
        cache = configuration.cache
        engine = try configuration.makeEngine()
    }

    /// Waits until the grant is stored, and the cache has confirmed what the call has invalidated, so that they outlive this process.
    func settle() async {
        if let coordinator, let key = environment.tokenKey {
            do throws(NetworkError) {
                try await coordinator.waitUntilStored(key)
            } catch {
                Console.complain("the token could not be stored: \(error)")
            }
            await finishEndedLogins()
        }
        await confirmInvalidations()
    }

    /// Waits until the file of the cache has what the call has invalidated: other processes use the older responses until then.
    private func confirmInvalidations() async {
        guard let cache, await !cache.waitUntilConfirmed(deadline: .after(Self.removalLimit)) else { return }
        Console.complain(
            "the cache has not confirmed what the call has changed: it may still have older responses")
    }

    /// Removes what ended logins have left in the cache, which this process would not do after its end.
    func finishEndedLogins() async {
        guard let cache,
            let left = await environment.finishEndedLogins(in: cache, deadline: .after(Self.removalLimit))
        else { return }
        Console.complain("responses of a login that has ended are left in the cache: \(left)")
    }
}
