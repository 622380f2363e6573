import GatewayCore
import Testing

@Suite struct CallMergeTests {
    @Test func theCallIsOverTheOperationOverTheClient() {
        let operations: OperationOptions = [
            "get": CallOptions(
                deadline: .seconds(2), fields: ["X-A": "operation", "X-B": "operation"], query: [("o", "2")],
                priority: .high, limits: AttemptLimits(connect: .seconds(2), read: .seconds(2)))
        ]
        let merged = operations.merged(
            call: CallOptions(
                fields: ["X-A": "call"], query: [("c", "1")], limits: AttemptLimits(connect: .seconds(1))),
            operation: "get",
            client: CallOptions(
                deadline: .seconds(3), fields: ["X-C": "client"], query: [("d", "3")], responseLimit: 3,
                priority: .low, limits: AttemptLimits(queue: .seconds(3), read: .seconds(3))))
        #expect(merged.deadline == .seconds(2) && merged.priority == .high && merged.responseLimit == 3)
        #expect(
            merged.fields.map { "\($0.name)=\($0.value)" } == ["X-A=call", "X-B=operation", "X-C=client"])
        #expect(merged.query.map(\.name) == ["d", "o", "c"])
        #expect(
            merged.limits
                == AttemptLimits(queue: .seconds(3), connect: .seconds(1), read: .seconds(2)))
        #expect(operations.merged(call: CallOptions(), operation: "put").deadline == nil)
        #expect(operations.merged(call: CallOptions(), operation: nil).deadline == nil)
    }

    @Test(arguments: [
        ("/a", "/a?n%20%26=v%2F%C3%BC"), ("/a?x=1", "/a?x=1&n%20%26=v%2F%C3%BC"),
        ("/a?", "/a?n%20%26=v%2F%C3%BC"),
    ])
    func queryItemsAreAddedEncoded(target: String, result: String) throws {
        var request = try HTTPRequest(.get, "http://127.0.0.1" + target)
        request.apply(CallOptions(query: [("n &", "v/ü")]))
        #expect(request.target == result)
        try request.validate()
    }

    @Test func aSharedValueIsCopiedWhenItIsChanged() throws {
        let original = try HTTPRequest(.get, "http://127.0.0.1/a")
        var copy = original
        copy.target = "/b"
        copy.fields.append("X-A", "1")
        #expect(original.target == "/a" && original.fields.isEmpty && copy.target == "/b")

        let context = RequestContext()
        var changed = context
        changed.minimumGeneration = 3
        #expect(context.minimumGeneration == 0 && changed.callID == context.callID)
    }
}
