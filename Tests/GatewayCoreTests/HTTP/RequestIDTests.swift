import GatewayCore
import Testing

/// The server's ID of a request, the one value of a header field that events have.
@Suite struct RequestIDTests {
    private static let long = String(repeating: "a", count: 128)

    /// `telemetry.request-id`
    @Test(arguments: [
        "req_1", "0af76519-16cd-43dd-8448-eb211c80319c", "Root=1-67891233-abcdef012345678912345678", long,
        "a/b+c==", "a.b:c;d|e#f@g~h,i",
    ])
    func anIDIsRead(text: String) {
        for name in HTTPField.Name.requestIDs {
            let fields: HTTPFields = ["Date": "now", name: text]
            #expect(fields.requestID(in: HTTPField.Name.requestIDs) == text)
        }
    }

    /// `telemetry.request-id`
    @Test(arguments: [
        "", "a b", "a\tb", "a\"b", "a\\b", "é", long + "a", "<script>", "{a}", "a%0Ab",
        "eyJhbGciOiJub25lIn0.eyJ9.",
        "Bearer eyJhbGciOiJub25lIn0",
    ])
    func otherTextIsIgnored(text: String) {
        let fields: HTTPFields = [.requestID: text]
        #expect(fields.requestID(in: HTTPField.Name.requestIDs) == nil)
        let both: HTTPFields = [.requestID: text, "Request-Id": "r1"]
        #expect(both.requestID(in: HTTPField.Name.requestIDs) == "r1")
    }

    /// `telemetry.request-id`
    @Test func onlyTheNamedFieldsAreRead() {
        let fields: HTTPFields = [
            "CF-Ray": "ray", .requestID: "id", "Set-Cookie": "c", "X-Session-Token": "t",
        ]
        #expect(fields.requestID(in: []) == nil)
        #expect(fields.requestID(in: ["CF-Ray", .requestID]) == "ray")
        #expect(fields.requestID(in: ["x-request-id"]) == "id")
        #expect(fields.requestID(in: ["Set-Cookie", "X-Session-Token"]) == nil)
    }
}
