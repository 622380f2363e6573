import GatewayCore
import Testing

@Suite struct SecrecyTests {
    @Test func anErrorPrintsItsCodeAndPlace() throws {
        let error = NetworkError(
            .timeout, "No byte came in time.", origin: try Origin("https://h:8443"), phase: .firstByte)
        #expect("\(error)" == "timeout at https://h:8443 (firstByte): No byte came in time.")
    }

    @Test func aCodeCatchesItsErrors() {
        var caught = false
        do { throw NetworkError(.noConnection, "none") } catch NetworkError.timeout {
            Issue.record("caught as another code")
        } catch NetworkError.noConnection { caught = true } catch { Issue.record("not caught by code") }
        #expect(caught)
    }

    @Test func secretsCompareByValue() {
        #expect(Secret("a") == Secret("a"))
        #expect(Secret("a") != Secret("b"))
        #expect(Secret("a") != Secret("ab"))
    }
}
