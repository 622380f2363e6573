/// The documented failures of an operation, or of several operations with the same failures.
struct FailurePlan {
    /// In the namespace.
    let name: String
    /// Nil for a type that several operations share.
    let operationName: String?
    let cases: [ResponseCase]
    /// The headers of all failures.
    let headers: [OperationPlan.HeaderPlan]
    /// The shared type, if other operations have the same failures.
    var alias: String?
    /// The key of a shared type in `openapi.lock`.
    var place: String?

    /// The types of all operations and the shared types, by name.
    ///
    /// A shared type is named after its statuses instead of an operation. Adding or removing an operation does not
    /// change it.
    static func interned(
        _ plans: [OperationPlan], namespace: String, scope: inout NameScope
    ) -> [FailurePlan] {
        var result = plans.map(\.failure)
        var users = [String: [Int]]()
        for index in result.indices where !result[index].cases.isEmpty {
            users[result[index].content(namespace), default: []].append(index)
        }
        for (content, indices) in users.sorted(by: { $0.key < $1.key }) where indices.count > 1 {
            let first = result[indices[0]]
            let place = NameLock.Place.sharedFailure(content)
            let name = scope.claim(sharedName(first.cases), for: place)
            for index in indices { result[index].alias = name }
            // A description of one operation alone does not describe the others.
            var cases = first.cases
            for offset in cases.indices
            where !indices.allSatisfy({ result[$0].cases[offset].text == cases[offset].text }) {
                cases[offset].text = ""
            }
            result.append(
                FailurePlan(
                    name: name, operationName: nil, cases: cases, headers: first.headers, place: place))
        }
        return result.sorted { $0.name < $1.name }
    }

    /// Equal for equal types: statuses, bodies and headers.
    private func content(_ namespace: String) -> String {
        let headers = headers.map { header in
            let call = Expression.call(.name(header.call.method), header.call.arguments)
            return [header.member, header.type.text(in: namespace), call.text(in: namespace)]
                .joined(separator: " ")
        }
        return (cases.map(\.content) + headers).joined(separator: ", ")
    }

    /// `NotFoundFailure`, `NotFoundOrDefaultFailure`; with more than three statuses the first and the last.
    private static func sharedName(_ cases: [ResponseCase]) -> String {
        let words = cases.statuses.map {
            $0 == .default ? "Default" : SwiftName.capitalised(StatusNames.name(of: $0))
        }
        guard let first = words.first, let last = words.last, words.count > 1 else {
            return (words.first ?? "Documented") + "Failure"
        }
        guard words.count <= 3 else { return first + "To" + last + "Failure" }
        return words.dropLast().joined() + "Or" + last + "Failure"
    }
}
