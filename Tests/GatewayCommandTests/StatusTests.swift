import GatewayTesting
import Testing

/// `gateway status`.
@Suite(.timeLimit(.minutes(2))) struct StatusTests {
    @Test func theStatusOfThisMachine() async throws {
        let run = try await CommandProcess(["status"], environment: [:]).outcome()
        #expect(run.error.isEmpty)
        // Either is right, by the machine; the text and the exit status agree.
        let isOnline = run.text.hasPrefix("online\n")
        #expect(isOnline || run.text == "offline\n")
        #expect(run.status == (isOnline ? 0 : 4))
        for line in run.text.split(separator: "\n").dropFirst() {
            #expect(
                line.wholeMatch(of: #/  [^ ]+: (wired|wifi|cellular|tunnel)(, default route)?/#) != nil,
                "\(line)")
        }
    }
}
