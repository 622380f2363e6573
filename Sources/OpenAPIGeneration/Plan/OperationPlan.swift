/// One operation as Swift: its methods, requests and responses.
struct OperationPlan {
    struct Argument {
        /// Not escaped.
        let name: String
        /// Nil: the call site writes none.
        let label: String?
        /// Without the `?` of an optional argument.
        let type: SwiftType
        let isOptional: Bool
        let text: String?
        /// The key of a parameter in the lock.
        var place: String?

        /// As used: keywords in backticks.
        var value: Expression { .name(SwiftName.escaped(name)) }

        /// Label and name, as written in a signature.
        var declared: String {
            guard let label else { return "_ " + SwiftName.escaped(name) }
            return SwiftName.label(label) + (label == name ? "" : " " + SwiftName.escaped(name))
        }

        /// Label and value in a call that passes the argument on.
        var passed: Expression {
            guard let label else { return value }
            // In a call, backticks around these names cause a warning.
            return .labelled(["let", "var"].contains(label) ? label : SwiftName.label(label), value)
        }
    }

    struct Success {
        let reading: BodyReading
        let from: Int
        let through: Int
        /// For `several`: one case for each response.
        let cases: [ResponseCase]
        /// The name of the type of the headers; nil for none.
        let headersName: String?
        let headers: [HeaderPlan]

        /// How the preferred body of the only success is read. A page is always read in this way.
        var preferred: BodyReading {
            guard let first = cases.first, cases.allSatisfy({ $0.status == first.status }) else {
                return reading
            }
            return first.body
        }
    }

    /// A media type that the caller can request, with its name in `Accept`.
    struct Choice {
        /// Without backticks.
        let plainName: String
        let mediaType: String
        /// The key of the name in `openapi.lock`.
        let place: String
        /// As declared.
        var name: String { SwiftName.escaped(plainName) }
    }

    struct HeaderPlan {
        let name: String
        let member: String
        let type: SwiftType
        /// The runtime's call that reads it from fields.
        let call: MethodCall
        let text: String?
    }

    /// The method that returns a stream of values.
    struct Stream {
        var methodName: String
        let elementType: SwiftType
        /// The framing, as named in the runtime.
        let framing: Expression
        let accept: String
        /// The property of the body that requests a stream (`stream = true`). Nil: not needed.
        let bodySwitch: BodySwitch?
        /// Whether the operation has only the streaming response.
        let isOnly: Bool
    }

    struct BodySwitch {
        let member: MemberPlan
        /// The place of the body's type.
        let type: JSONPointer
    }

    struct Page {
        /// The type of a page.
        let type: SwiftType
        /// The type after aliases; nil for an array.
        let identity: JSONPointer?
        /// The members of the conformance, in order.
        var members: [(name: String, type: SwiftType, value: PageFields.Value)]
        /// How the next page is requested.
        let turn: PageTurn
        /// Whether the file of this operation contains the conformance.
        var declaresConformance: Bool
        var methodName = ""

        /// Whether another page has the same conformance.
        func conforms(as other: Page) -> Bool {
            members.elementsEqual(other.members) {
                $0.name == $1.name && $0.value.expression == $1.value.expression
            }
        }
    }

    @Indirect var operation: Operation
    /// The group's type, nil for the client itself.
    let group: String?
    /// Not escaped.
    let method: String
    /// In the order of the signature.
    let arguments: [Argument]
    /// The builder's calls, `query("q", q)`, without the body's.
    let calls: [MethodCall]
    /// The builder's call for the body, whose first argument it is.
    let body: MethodCall?
    /// The media types of which the caller can request one. Empty: there is no such argument.
    var choices: [Choice] = []
    /// The argument that requests one of `choices`, and the builder's call.
    var choosing: (argument: Argument, call: MethodCall)?
    /// The descriptor's literals.
    let accept: String
    let security: String?
    @Indirect var success: Success
    var failure: FailurePlan
    var page: Page?
    @Indirect var stream: Stream?
    /// The same operation with alternative media types, used as labels of the body.
    var alternatives: [OperationPlan] = []
}
