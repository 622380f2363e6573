import GatewayCore
import Testing

@Suite struct NetworkErrorTests {
    @Test func aDescriptionNamesCodePhaseAttemptsAndMessage() throws {
        let origin = try Origin("https://api.example.com")
        let refused = NetworkError(
            .connectionRefused, "api.example.com:443 refused the connection.", origin: origin, phase: .connect
        )
        #expect("\(refused)" == "connection_refused (connect): api.example.com:443 refused the connection.")
        #expect(
            "\(refused.with(attempts: 1))"
                == "connection_refused (connect) after 1 attempt: api.example.com:443 refused the connection."
        )
        #expect(
            "\(refused.with(attempts: 3))"
                == "connection_refused (connect) after 3 attempts: api.example.com:443 refused the connection."
        )
        // A message that does not name the origin has it in front.
        let other = NetworkError(.decodingFailed, "The response could not be decoded.", origin: origin)
        #expect(
            "\(other)" == "decoding_failed at https://api.example.com: The response could not be decoded.")
        #expect("\(NetworkError(.closed, "Closed."))" == "closed: Closed.")
    }

    @Test func aRetryWithoutTimeForItIsNamed() {
        let error = NetworkError(.connectionLost, "Lost.", attempts: 1).with(unmetDelay: .seconds(7))
        #expect(
            "\(error)"
                == "connection_lost after 1 attempt: Lost. Not retried: the next attempt was due in 7 s, after the "
                + "call's deadline.")
    }

    @Test func whatMayHaveBeenSentStaysSo() {
        let unsent = NetworkError(.connectionRefused, "Refused.")
        #expect(!unsent.with(attempts: 2).mayHaveBeenSent)
        let sent = unsent.with(attempts: 2, mayHaveBeenSent: true)
        #expect(sent.mayHaveBeenSent && sent.attempts == 2)
        #expect(sent.with(attempts: 3, mayHaveBeenSent: false).mayHaveBeenSent)
        #expect(sent.with(unmetDelay: .seconds(1)).mayHaveBeenSent)
    }

    @Test func aTimeoutSaysWhatItWaitedForAndWhichLimitPassed() {
        #expect(NetworkError(.timeout, "Late.", phase: .connect).limit == .connect)
        let late = NetworkError(.timeout, "Late.", phase: .connect, limit: .call)
        #expect(late.limit == .call && late.phase == .connect)
        #expect(late.with(attempts: 2, mayHaveBeenSent: true).limit == .call)
        #expect(NetworkError(.connectionLost, "Lost.", phase: .receive).limit == nil)
    }

    /// What the client refuses by itself says nothing about the server.
    @Test func localRejectionsAreNamed() {
        for code in [NetworkError.overloaded, NetworkError.closed, NetworkError.refreshSuspended] {
            #expect(NetworkError(code, "Refused.").isLocalRejection)
            #expect(!NetworkError(code, "Refused.", mayHaveBeenSent: true).isLocalRejection)
        }
        for code in [NetworkError.timeout, NetworkError.connectionRefused, NetworkError.cancelled] {
            #expect(!NetworkError(code, "Failed.").isLocalRejection)
        }
        let own = NetworkError.Code("too_many", category: .transient, isLocalRejection: true)
        #expect(NetworkError(own, "Refused.").isLocalRejection)
    }

    /// The limit is for messages alone.
    @Test func deadlinesAreEqualByTheirInstant() {
        let deadline = Deadline.after(.seconds(10))
        #expect(deadline.limit == .seconds(10))
        #expect(
            Deadline(deadline.instant) == deadline && Set([deadline, Deadline(deadline.instant)]).count == 1)
    }
}
