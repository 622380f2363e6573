extension OperationPlanner {
    /// The streaming method of an operation, if the document has a streaming response.
    func stream(_ operation: Operation, method: String) -> OperationPlan.Stream? {
        let found = operation.responses.first { $0.stream != nil && $0.status.isSuccess }
        guard let response = found ?? operation.responses.first(where: { $0.stream != nil }),
            let content = response.stream
        else { return nil }
        let isOnly = operation.responses.allSatisfy { !$0.status.isSuccess || $0.content == nil }
        var element = types.full(content.schema)
        // Data without a schema is text.
        if content.kind == .events, case .any = content.schema.shape { element = "String" }
        return OperationPlan.Stream(
            methodName: isOnly ? method : method + "Stream", elementType: element,
            framing: .name("." + content.kind.rawValue),
            accept: AcceptField.value(operation, streaming: response),
            bodySwitch: bodySwitch(operation), isOnly: isOnly)
    }

    /// Many services require the body to request the stream.
    private func bodySwitch(_ operation: Operation) -> OperationPlan.BodySwitch? {
        guard let body = operation.body, body.content.kind.codec != nil || body.content.kind == .form,
            !body.content.schema.isNullable, case .declared(let pointer) = body.content.schema.shape,
            let member = members.members(of: pointer).first(where: { $0.key == "stream" }),
            types.plain(member.schema) == "Bool", member.schema.annotations.constant == nil
        else { return nil }
        return OperationPlan.BodySwitch(member: member, type: pointer)
    }
}
