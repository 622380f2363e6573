public import GatewayJSON

/// A file, or a value in its place: a part of a form of which the document allows both.
///
/// ```swift
/// try await api.videos.createEdit(multipart: .init(video: .file(.file("/tmp/clip.mp4")), prompt: "brighter"))
/// ```
public enum MultipartFileOr<Value: JSONEncodable & Sendable>: Sendable {
    /// The content of a file.
    case file(MultipartFile)
    /// A value: text where it is a primitive, else JSON.
    case value(Value)
}
