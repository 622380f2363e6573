import GatewayCore

// Invalidating stored responses, and validating them in the background.
extension CacheCourse {
    /// Removes the responses that an unsafe request has invalidated: those of its URI, and of `Location` and
    /// `Content-Location` at the same origin (RFC 9111 §4.4), in all partitions of the owner.
    func invalidate(after response: HTTPResponse) async {
        let partition = key(of: response).partition
        await invalidate(request.target, partition)
        for name in [HTTPField.Name.location, "Content-Location"] {
            guard case .line(let field) = response.fields.occurrence(of: name),
                let url = try? ParsedURL(origin: request.origin, target: request.target)
                    .resolving(field.reference),
                url.origin == request.origin, url.target != request.target
            else { continue }
            await invalidate(url.target, partition)
        }
    }

    private func invalidate(_ target: String, _ partition: CachePartition) async {
        let key = CacheKey(partition: partition, origin: request.origin, target: target).ofOwner
        guard cache.accepts(key) else { return }
        await change(.place(key))
    }

    /// Validates a stored response by a separate call, unless a validation is in progress.
    func validateInBackground(_ use: StoredUse) {
        guard let reentry = context.reentry, cache.beginValidation(of: use.head.id) else { return }
        var background = context.background().limited(
            to: .after(policy.backgroundLimit, clock: context.clock))
        background.cache = .noCache
        background.followsRedirects = false
        let call = reentry.start(request, context: background)
        Task.detached { [cache] in
            _ = await call.result
            cache.endValidation(of: use.head.id)
        }
    }
}
