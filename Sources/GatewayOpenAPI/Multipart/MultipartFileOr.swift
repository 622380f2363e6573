public import GatewayJSON

/// A file or a value: a form part for which the document allows both.
///
/// ```swift
/// try await api.videos.createEdit(multipart: .init(video: .file(.file("/tmp/clip.mp4")), prompt: "brighter"))
/// ```
public enum MultipartFileOr<Value: JSONEncodable & Sendable>: Sendable {
    /// The content of a file.
    case file(MultipartFile)
    /// A value: a primitive is written as text, an array as one part per element, any other value as JSON.
    case value(Value)
}
