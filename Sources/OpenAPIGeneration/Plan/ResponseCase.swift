/// One case of an enum of responses.
struct ResponseCase: Equatable {
    let status: Response.Status
    /// Without backticks.
    let plainName: String
    let body: BodyReading
    var text: String
    /// The media types that select the case among the cases of its status, the preferred one of which is the first.
    /// Empty: no other case has the status.
    var mediaTypes: [String] = []
    /// Its keys in `openapi.lock`, one for each media type. Empty: the name follows from the status.
    var places: [String] = []
    /// Whether `openapi.lock` or another case determines the name.
    var isRenamed = false

    /// As declared.
    var name: String { SwiftName.escaped(plainName) }

    /// Status, body, media types and an unusual name. Equal for equal cases, and independent of the namespace.
    var content: String {
        ([status.text, body.key, isRenamed ? plainName : nil].compactMap { $0 } + mediaTypes)
            .joined(separator: " ")
    }

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
