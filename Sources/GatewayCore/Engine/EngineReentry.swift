/// The way back to the engine that a call entered, for work that the call leaves behind, such as the revalidation of a
/// stored response.
///
/// An engine makes one and puts it into the context of each call. It refers to the engine weakly, so that a context
/// that lives longer does not keep the engine.
@usableFromInline
package final class EngineReentry: Sendable {
    private struct Target {
        weak var top: EngineTop?
    }

    private let target = Locked(Target())
    /// The end of the engine.
    package let ending = EngineEnding()

    package init() {}

    /// Sets the engine.
    package func attach(_ top: EngineTop) { target.withLock { $0.top = top } }

    /// Makes a call through the whole engine in a separate task. The deadline and the cancellation of the parent call
    /// do not end it.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - context: a separate context; see ``RequestContext/background()``.
    /// - Returns: the task. It fails with ``NetworkError/closed`` if the engine is gone.
    package func start(
        _ request: HTTPRequest, context: RequestContext
    ) -> Task<HTTPResponse, any Error> {
        let top = target.withLock { $0.top }
        return Task.detached {
            guard let top else {
                throw NetworkError(
                    .closed, "The engine ended before the background call began.", origin: request.origin)
            }
            return try await top.engine.send(request, context: context)
        }
    }
}

/// The object of an engine that ``EngineReentry`` references.
package final class EngineTop: Sendable {
    /// The outermost layer.
    package let engine: any RequestEngine
    /// The transport below all layers.
    package let transport: (any Transport)?

    package init(_ engine: any RequestEngine, transport: (any Transport)? = nil) {
        self.engine = engine
        self.transport = transport
    }
}

extension RequestContext {
    /// The context of a background call for this one. It has the same operation, credential, clock and sink, but not
    /// the deadline, trace and cache mode.
    package func background() -> RequestContext {
        var context = Deadline.$inherited.withValue(nil) {
            RequestContext(
                options: CallOptions(priority: .low), operation: operation, credentials: credentials,
                clock: clock)
        }
        context.events = events
        return context
    }
}
