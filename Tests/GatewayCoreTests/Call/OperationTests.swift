import Testing

@testable import GatewayCore

@Suite struct OperationTests {
    @Test func aLiteralIsAnOperation() {
        let operation: GatewayCore.Operation = "listBooks"
        #expect(operation == GatewayCore.Operation("listBooks") && operation.template.isEmpty)
    }

    @Test func computedOperationsAreBounded() {
        let table = OperationTable(capacity: 2)
        let made = ["a", "b", "c", "a"].map { table.operation(GatewayCore.Operation($0)) }
        #expect(made.map(\.id) == ["a", "b", "_OTHER", "a"])
    }

    @Test func aComputedOperationKeepsItsParts() {
        let operation = GatewayCore.Operation(runtimeID: "getBook", method: .get, template: "/books/{id}")
        #expect(operation == GatewayCore.Operation("getBook", method: .get, template: "/books/{id}"))
    }
}
