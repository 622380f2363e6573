import GatewayCore
import Testing

@Suite struct SecrecyTests {
    /// Everything Swift can print of a value.
    private func prints(_ value: Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return "\(value) " + String(reflecting: value) + dumped
    }

    @Test func nothingPrintsASecret() throws {
        let request = try HTTPRequest(
            .post, "https://api.example.com/x?key=hunter2", fields: [.authorization: "Bearer hunter2"],
            body: .text("hunter2"))
        let response = HTTPResponse(
            status: 200, fields: ["Set-Cookie": "hunter2"], body: .bytes(Array("hunter2".utf8)),
            exchange: Exchange(origin: request.origin))
        for value in [Secret("hunter2"), request, request.fields, response, [Secret("hunter2")]] as [Any] {
            #expect(!prints(value).contains("hunter2"))
        }
    }

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
