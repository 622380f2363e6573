/// One operation as Swift: its methods, requests and responses.
struct OperationPlan {
    struct Argument {
        /// As used: keywords in backticks.
        let name: String
        let label: String
        /// Whether the call site writes it without a label.
        let isUnlabelled: Bool
        /// Without the `?` of an optional argument.
        let type: String
        let isOptional: Bool
        let text: String?
        /// For a parameter: its key in the lock, and its name.
        var settled: (place: String, name: String)?
        /// Whether label and name differ.
        var hasOwnLabel = false

        /// Label and name, as written in a signature.
        var declared: String {
            if isUnlabelled { return "_ " + name }
            return hasOwnLabel ? label + " " + name : label
        }

        /// Label and value in a call that passes the argument on.
        var passed: String {
            if isUnlabelled { return name }
            // In a call, backticks around these are a warning.
            return (["`let`", "`var`"].contains(label) ? label.filter { $0 != "`" } : label) + ": " + name
        }
    }

    enum Reading: Equatable {
        case json(String), text, bytes, empty
        /// A body that is streamed as bytes.
        case stream
        /// One of several types, by status.
        case several(type: String)
    }

    struct Success {
        let reading: Reading
        let from: Int
        let through: Int
        /// For `several`: one case for each response.
        let cases: [ResponseCase]
        /// The type of the typed headers; nil for none.
        let headersType: String?
        let headers: [HeaderPlan]
    }

    struct HeaderPlan {
        let name: String
        let member: String
        let type: String
        /// The runtime's call that reads it from fields.
        let call: String
        let text: String?
    }

    /// The method that returns a stream of values.
    struct Stream {
        var methodName: String
        let elementType: String
        /// The framing, as named in the runtime.
        let framing: String
        let accept: String
        let from: Int
        let through: Int
        /// The statement that requests a stream in the body (`stream = true`). Nil: not needed.
        let bodySwitch: String?
        /// The property that it sets.
        let bodyMember: MemberUse?
        /// Whether the operation has only the streaming response.
        let isOnly: Bool
    }

    struct Page {
        /// The type of a page.
        let type: String
        /// The type after aliases; nil for an array.
        let identity: JSONPointer?
        let itemType: String
        /// The members of the conformance, in order.
        var members: [(name: String, type: String, value: PageFields.Value)]
        /// How the next page is requested.
        let turn: String
        /// Whether the file of this operation contains the conformance.
        var declaresConformance: Bool
        var methodName = ""

        /// The conformance, to compare it with another's.
        var conformance: String { members.map { $0.name + " " + $0.value.text }.joined(separator: "\n") }
    }

    let operation: Operation
    /// The group's type, nil for the client itself.
    let group: String?
    /// As declared.
    let method: String
    /// In the order of the signature.
    let arguments: [Argument]
    /// The builder's calls, `query("q", q)`.
    let calls: [String]
    /// The descriptor's literals.
    let accept: String
    let security: String?
    let success: Success
    /// The qualified name of the failures' type.
    let failureType: String
    var failure: FailurePlan
    var page: Page?
    let stream: Stream?
    /// The name of the method that builds the request of a page, without its leading underscore.
    let builder: String
    /// The same operation with alternative media types, used as labels of the body.
    var alternatives: [OperationPlan] = []
}

/// One case of an enum of responses.
struct ResponseCase: Equatable {
    let status: Response.Status
    let name: String
    let body: OperationPlan.Reading
    let text: String
    /// Status and body. Equal for equal cases, and independent of the namespace.
    let content: String
}
