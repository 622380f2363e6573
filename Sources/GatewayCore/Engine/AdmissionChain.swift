/// Two admission controls: an attempt that waits for the first one has no permit of the second.
package struct AdmissionChain: AdmissionControl {
    package let first: any AdmissionControl
    package let second: any AdmissionControl

    /// - Returns: `nil` without controls; a single one as it is.
    package static func joining(
        _ first: (any AdmissionControl)?, _ second: (any AdmissionControl)?
    ) -> (any AdmissionControl)? {
        guard let first, let second else { return first ?? second }
        return AdmissionChain(first: first, second: second)
    }

    package func enterNow(
        _ request: HTTPRequest, context: RequestContext
    ) throws(NetworkError) -> (any AdmissionPermit)? {
        guard let permit = try first.enterNow(request, context: context) else { return nil }
        do {
            if let other = try second.enterNow(request, context: context) {
                return JointPermit(other, permit)
            }
        } catch {
            permit.end(.notSent)
            throw error
        }
        permit.end(.notSent)
        return nil
    }

    package func enter(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> any AdmissionPermit {
        let permit = try await first.enter(request, context: context)
        do {
            return JointPermit(try await second.enter(request, context: context), permit)
        } catch {
            permit.end(.notSent)
            throw error
        }
    }

    package func priorityRaised(_ context: RequestContext) {
        first.priorityRaised(context)
        second.priorityRaised(context)
    }
}

/// Two permits of an attempt. The first one ends first: an attempt that gets the second one finds the first one free.
package final class JointPermit: AdmissionPermit {
    private let first: any AdmissionPermit
    private let second: any AdmissionPermit

    package init(_ first: any AdmissionPermit, _ second: any AdmissionPermit) {
        self.first = first
        self.second = second
    }

    package var connectionWait: Duration { first.connectionWait + second.connectionWait }

    package var hasWaited: Bool { first.hasWaited || second.hasWaited }

    package func end(_ outcome: AdmissionOutcome) {
        first.end(outcome)
        second.end(outcome)
    }

    package func responded(status: Int) -> (any AdmissionPermit)? {
        let first = first.responded(status: status)
        guard let second = second.responded(status: status) else { return first }
        return first.map { JointPermit($0, second) } ?? second
    }
}
