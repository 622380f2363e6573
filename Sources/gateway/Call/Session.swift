import GatewayClient

/// The stack that the environment describes, and who watches it.
@MainActor
struct Session {
    let environment: GatewayEnvironment
    let engine: GatewayEngine
    let timeline: Timeline?
    let coordinator: TokenRefreshCoordinator?

    /// Reads the environment.
    ///
    /// - Parameter onTokenEvent: hears of what happens to tokens, beside the timeline.
    init(isVerbose: Bool, onTokenEvent: (@Sendable (TokenEvent) -> Void)? = nil) throws {
        do {
            environment = try GatewayEnvironment()
        } catch {
            throw CommandFailure(
                ExitStatus.usage, "\(error)\nSee: gateway help environment")
        }
        let foreign = environment.unknownVariables
        if !foreign.isEmpty {
            Console.complain("these variables mean nothing here: " + foreign.joined(separator: ", "))
        }
        let timeline = isVerbose ? Timeline() : nil
        self.timeline = timeline
        var configuration = environment.configuration { event in
            timeline?.record(event)
            onTokenEvent?(event)
        }
        configuration.events = timeline
        coordinator = configuration.authentication?.coordinator
        engine = configuration.makeEngine()
    }

    /// Sees to it that what was granted outlives this process.
    func settle() async {
        guard let coordinator, let key = environment.tokenKey else { return }
        do throws(NetworkError) {
            try await coordinator.waitUntilStored(key)
        } catch {
            Console.complain("the token could not be stored: \(error)")
        }
    }
}
