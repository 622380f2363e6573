public import GatewayCore

/// The health, warm-up and shutdown of engines that use the tokens.
extension TokenRefreshCoordinator: TokenKeeping {
    /// The state of the tokens: one value for each issuer, client and set of scopes. It contains no token and no
    /// subject.
    ///
    /// Reading it requests nothing, and does not count as a use of a key.
    public var health: [TokenHealth] { TokenHealth.merged(slots(.all).flatMap(\.health)) }

    /// Gets the tokens of the keys that engines and clients use, at the same time, unless there are usable ones. Keys
    /// with a subject or a tenant are left out.
    ///
    /// - Throws: the first error. The other tokens are requested all the same.
    package func warmUp(until deadline: Deadline?) async throws(NetworkError) {
        settleLate()
        let results = await withTaskGroup(of: NetworkError?.self) { group in
            for slot in slots(.pinned) where !slot.key.isOfMany {
                group.addTask {
                    do throws(NetworkError) {
                        _ = try await slot.token(atLeast: 0, epoch: nil, deadline: deadline)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        if let error = results.compactMap(\.self).first { throw error }
    }

    package func waitUntilAllStored(until deadline: Deadline) async {
        await withTaskGroup(of: Void.self) { group in
            for slot in slots(.all) {
                group.addTask { try? await slot.waitUntilStored(deadline: deadline) }
            }
        }
    }

    package func waitForRequests() async {
        for slot in slots(.all) { await slot.requests.withLock { $0?.ended }?.value }
    }
}
