/// One case of an enum of responses.
struct ResponseCase: Equatable {
    let status: Response.Status
    let name: String
    let body: BodyReading
    var text: String

    /// Status and body. Equal for equal cases, and independent of the namespace.
    var content: String { status.text + (body.key.map { " " + $0 } ?? "") }
}
