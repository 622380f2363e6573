import CLibcurl
import GatewayCore

/// The life cycle of a transfer in the loop.
extension CurlLoop {
    /// Starts a transfer. Its caller holds a slot.
    func admit(_ transfer: Transfer) {
        guard transfer.take() else { return }
        let index = freeIndices.popLast() ?? transfers.count
        if index == transfers.count { transfers.append(nil) }
        transfers[index] = transfer
        unsafe transfer.onLoop.index = index
        let (end, limit) = unsafe transfer.onLoop.timing.expiry
        guard end > now else { return endUnsent(transfer, timeout(transfer, limit)) }
        start(transfer)
    }

    /// Ends a transfer whose caller was cancelled.
    func giveUp(_ transfer: Transfer) {
        guard let handle = unsafe transfer.onLoop.handle, !isDraining(transfer) else { return }
        let outcome = Transfer.Outcome.failure(
            handle.error(.cancelled, "The task was cancelled during the exchange."))
        if !drain(transfer, on: handle, outcome) { finish(transfer, outcome) }
    }

    /// Continues a paused upload.
    func resumeUpload(_ transfer: Transfer) {
        guard let handle = unsafe transfer.onLoop.handle, handle.progress.isUploadPaused else { return }
        handle.progress.isUploadPaused = false
        enter(.sending, transfer)
        unsafe curl_easy_pause(handle.easy, handle.pauses)
    }

    /// Finishes the transfers that libcurl has ended.
    func collectEnded() {
        for pool in pools where pool.isTouched {
            pool.isTouched = false
            collectEnded(of: pool)
        }
    }

    private func collectEnded(of pool: CurlPool) {
        defer {
            listen()
            goOnConnecting()
        }
        var code = CURLE_OK
        while let easy = unsafe gateway_multi_next_ended(pool.multi, &code) {
            guard let context = unsafe gateway_easy_get_private(easy) else { continue }
            let handle = unsafe Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
            guard let transfer = handle.transfer, !restarts(handle), !readsCertificate(of: handle, code)
            else {
                continue
            }
            finish(transfer, outcome(of: handle, code))
        }
    }

    /// Handles an expired timer: the transfer may have timed out, or its limit may have been extended since.
    func expire(_ index: Int) {
        guard let transfer = transfers[index] else { return }
        unsafe transfer.onLoop.timing.scheduled = LoopClock.never
        let (at, limit) = unsafe transfer.onLoop.timing.expiry
        guard at <= now else { return schedule(transfer) }
        if limit == .call, transfer.context.isAbandoned {
            unsafe transfer.onLoop.timing.endDeadline()
            return schedule(transfer)
        }
        if let handle = unsafe transfer.onLoop.handle, handle.mismatch != nil {
            return finish(transfer, outcome(of: handle, CURLE_PEER_FAILED_VERIFICATION))
        }
        finish(transfer, .failure(timeout(transfer, limit)))
    }

    /// The error of a transfer that ran out of time.
    ///
    /// - Parameter limit: the phase whose limit ended it.
    private func timeout(_ transfer: Transfer, _ limit: NetworkError.Phase) -> NetworkError {
        let handle = unsafe transfer.onLoop.handle
        let phase: NetworkError.Phase =
            switch unsafe transfer.onLoop.timing.stage {
            case .producing: .produce
            case .consuming: .consume
            default: handle?.phase ?? .queue
            }
        let message = TimeoutMessage.text(
            limit, at: phase, limits: unsafe transfer.onLoop.timing.limits,
            own: transfer.context.limits, callLimit: transfer.context.deadline?.limit,
            peer: Peer(transfer.request.origin, settings.configuration))
        return NetworkError(
            .timeout, message, origin: transfer.request.origin, phase: phase, limit: limit,
            attempts: handle == nil ? 0 : 1, mayHaveBeenSent: handle?.mayHaveBeenSent ?? false)
    }

    /// Whether a transfer has timed out after its request was sent.
    func awaitsResponse(_ index: Int) -> Bool {
        guard let transfer = transfers[index] else { return false }
        let timing = unsafe transfer.onLoop.timing
        return timing.awaitsResponse && timing.expiry.at <= now
    }

    /// Ends the transfers that have timed out before their request was sent.
    func expireUnsent() {
        for index in transfers.indices {
            guard let timing = unsafe transfers[index]?.onLoop.timing, !timing.awaitsResponse,
                timing.expiry.at <= now
            else { continue }
            expire(index)
        }
    }

    /// Enters a stage, which has another time limit.
    func enter(_ stage: TransferTiming.Stage, _ transfer: Transfer) {
        unsafe transfer.onLoop.timing.enter(stage, at: now)
        schedule(transfer)
    }

    /// Restarts the time limit of the response, because a part of it arrived.
    func receives(_ transfer: Transfer) {
        if case .receiving = unsafe transfer.onLoop.timing.stage {
            unsafe transfer.onLoop.timing.progress(at: now)
        } else {
            enter(.receiving, transfer)
        }
    }

    /// Ends a transfer: releases its state in the loop, and schedules the resumption of its caller, which
    /// returns its slot.
    func finish(_ transfer: Transfer, _ outcome: consuming Transfer.Outcome) {
        let index = unsafe transfer.onLoop.index
        if let handle = unsafe transfer.onLoop.handle {
            let failure = outcome.failure
            if let failure {
                if transfer.context.isObserved(as: .attempts) {
                    outcome = .failure(
                        failure.with(connection: handle.connection, receivedStatus: handle.receivedStatus))
                }
                outcome = handle.keepingHead(outcome)
            }
            if !isDraining(transfer) { report(transfer, on: handle) }
            handle.rest(at: now)
            handle.discardPaused()
            if let pool = handle.pool {
                pool.remove(handle, now: now)
                hasRoom(pool)
                if let failure { leaveConnection(pool, socket: handle.progress.link, failure) }
            }
            handle.end()
            idleHandles.append(handle)
            unsafe transfer.onLoop.handle = nil
        }
        wheel.cancel(index)
        release(transfer)
        if let slot = unsafe transfer.onLoop.slot.take() { inbox.slots.leave(slot) }
        resume(transfer, outcome)
    }

    /// Whether no other exchange is in progress with the same origin.
    func isAlone(_ transfer: Transfer) -> Bool {
        !transfers.contains {
            guard let other = $0, other !== transfer else { return false }
            return other.request.origin == transfer.request.origin
        }
    }

    /// Takes a separate slot for an exchange that continues after its caller has returned the slot.
    func keepSlot(_ transfer: Transfer) {
        guard unsafe transfer.onLoop.slot == nil else { return }
        unsafe transfer.onLoop.slot = inbox.slots.keep(transfer.request.origin)
    }

    /// Records the timings of an exchange.
    func report(_ transfer: Transfer, on handle: EasyHandle) {
        transfer.context.record(
            .exchanged(handle.timings(queued: queueTime(of: transfer))), for: transfer.request,
            as: .exchanges)
    }

    /// How long a transfer that was started has waited, in nanoseconds.
    func queueTime(of transfer: Transfer) -> Int64 {
        let timing = unsafe transfer.onLoop.timing
        return timing.started - timing.submitted
    }

    private func isDraining(_ transfer: Transfer) -> Bool {
        if case .draining = unsafe transfer.onLoop.timing.stage { return true }
        return false
    }

    private func start(_ transfer: Transfer) {
        guard let handle = idleHandles.popLast() ?? EasyHandle(loop: self, settings: settings) else {
            return fail(transfer, "libcurl could not create a handle: memory may be short.")
        }
        guard let pool = poolWithRoom(), handle.begin(transfer, in: pool), pool.add(handle) else {
            // The handle is discarded: its options are not known.
            handle.end()
            return fail(transfer, "libcurl did not accept the request.")
        }
        unsafe transfer.onLoop.handle = handle
        unsafe transfer.onLoop.timing.started = now
        enter(.connecting, transfer)
    }

    private func fail(_ transfer: Transfer, _ message: String) {
        endUnsent(transfer, NetworkError(.other, message, origin: transfer.request.origin, phase: .queue))
    }

    /// Ends a transfer that was never started.
    private func endUnsent(_ transfer: Transfer, _ error: NetworkError) {
        release(transfer)
        resume(transfer, .failure(error))
    }

    /// Schedules a check of the time limit, which may come too early but never too late.
    private func schedule(_ transfer: Transfer) {
        let (at, _) = unsafe transfer.onLoop.timing.expiry
        guard at < (unsafe transfer.onLoop.timing.scheduled) else { return }
        unsafe transfer.onLoop.timing.scheduled = at
        wheel.schedule(unsafe transfer.onLoop.index, at: LoopClock.tick(of: at))
    }

    private func release(_ transfer: Transfer) {
        let index = unsafe transfer.onLoop.index
        transfers[index] = nil
        freeIndices.append(index)
        unsafe transfer.onLoop.index = -1
        if case .source(let source) = transfer.upload { source.close() }
    }

    func resume(_ transfer: Transfer, _ outcome: consuming Transfer.Outcome) {
        if let download = transfer.download, download.end(outcome.failure) { deliveries.append(transfer) }
        if let waiter = unsafe transfer.end(outcome) { unsafe resumptions.append(waiter) }
    }

    /// With a proxy, a failed connection and a refused tunnel are failures of the proxy.
    private func proxyFailure(of handle: EasyHandle, _ code: NetworkError.Code, _ peer: Peer) -> NetworkError?
    {
        guard let proxy = peer.proxy, handle.progress.sends == 0 else { return nil }
        switch code {
        case .connectionRefused:
            return handle.error(
                .proxyFailure, "The proxy \(proxy) refused the connection: check its host and port.",
                phase: .connect)
        case .noConnection:
            return handle.error(.proxyFailure, "No connection to the proxy \(proxy).", phase: .connect)
        default:
            let status = unsafe gateway_easy_get_long(handle.easy, CURLINFO_HTTP_CONNECTCODE)
            if status == 0, peer.isTunnel, [.connectionLost, .malformedResponse, .other].contains(code) {
                return handle.error(
                    .proxyFailure,
                    "The proxy \(proxy) did not answer the request for a tunnel to \(peer.server) in HTTP, or ended the "
                        + "connection: check that it is an HTTP proxy.", phase: .connect)
            }
            guard status >= 300 else { return nil }
            return handle.error(
                .proxyFailure,
                "The proxy \(proxy) refused a tunnel to \(peer.server) with the status \(status)"
                    + (status == 407 ? ": check its user name and password." : "."), phase: .connect)
        }
    }

    func outcome(of handle: EasyHandle, _ code: CURLcode) -> Transfer.Outcome {
        handle.progress.hasEnded = true
        if let failure = handle.progress.failure { return .failure(failure) }
        guard code != CURLE_OK, !handle.isAnswered, let origin = handle.transfer?.request.origin else {
            return handle.response()
        }
        let mismatch = handle.takeCertificateNames()
        let code = mismatch == nil ? code : CURLE_PEER_FAILED_VERIFICATION
        let systemError = Int32(
            truncatingIfNeeded: unsafe gateway_easy_get_long(handle.easy, CURLINFO_OS_ERRNO))
        if handle.progress.sends == 0, DescriptorShortage.mayCause(code, systemError),
            handle.progress.lacksDescriptor || DescriptorShortage.isNow
        {
            return .failure(.descriptorShortage(origin: origin, phase: handle.phase).with(attempts: 1))
        }
        let peer = Peer(origin, settings.configuration)
        let meaning = CurlCode(
            code: code, systemError: systemError, isResend: handle.progress.sends > 1,
            isSent: handle.progress.sends > 0,
            isNew: handle.progress.openedSocket >= 0, refusal: handle.refusal,
            hasHead: handle.reader.head.isComplete, peer: peer, verifyResult: handle.verifyResult,
            text: mismatch?.text ?? handle.errorText, certificateNames: mismatch?.names ?? []
        ).meaning
        if let failure = proxyFailure(of: handle, meaning.code, peer) { return .failure(failure) }
        return .failure(handle.error(meaning.code, meaning.message, phase: meaning.phase))
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { return error }
        return nil
    }
}
