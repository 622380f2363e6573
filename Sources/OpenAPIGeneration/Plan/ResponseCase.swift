/// One case of an enum of responses.
struct ResponseCase: Equatable {
    let status: Response.Status
    let name: String
    let body: BodyReading
    var text: String
    /// The media types that select the case among the cases of its status, the preferred one of which is the first.
    /// Empty: no other case has the status.
    var mediaTypes: [String] = []

    /// Status, body and media types. Equal for equal cases, and independent of the namespace.
    var content: String { ([status.text, body.key].compactMap { $0 } + mediaTypes).joined(separator: " ") }

    /// The media types, for a comment.
    var mediaText: String {
        mediaTypes.map { SwiftText.code($0) }.joined(separator: " or ")
    }
}

extension [ResponseCase] {
    /// The statuses, without duplicates.
    var statuses: [Response.Status] {
        var result: [Response.Status] = []
        for item in self where result.last != item.status { result.append(item.status) }
        return result
    }
}
