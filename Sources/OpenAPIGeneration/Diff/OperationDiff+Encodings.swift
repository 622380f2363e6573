/// How the properties of a form are sent.
extension OperationDiff {
    func compareEncodings(
        of type: String, _ first: ReferenceResolver.Target, _ second: ReferenceResolver.Target
    ) {
        let kind = MediaType(type).kind
        guard kind == .form || kind == .multipart else { return }
        let (before, after) = (
            encodings(of: type, first, in: old), encodings(of: type, second, in: new)
        )
        let content = second.pointer.appending("content").appending(type)
        let place = DiffPlace.new(content, second.node["content"]?[type])
        for name in Set(before.keys).union(after.keys).sorted() {
            let (one, two) = (before[name], after[name])
            if Self.form(one, kind) != Self.form(two, kind) {
                list.report(
                    "encoding-changed", place, "the encoding of \"\(name.text)\" changed", request: true)
            }
            compareHeaders(of: name.text, one?.headers ?? [], two?.headers ?? [], place)
        }
    }

    private func encodings(
        of type: String, _ body: ReferenceResolver.Target, in document: DiffDocument
    ) -> [ExactText: PropertyEncoding] {
        let content = body.node["content"]?[type]
        let reader = PropertyEncodingReader(sink: DiagnosticSink(), schemas: document.schemas)
        let encodings = reader.read(
            content?["encoding"], MediaType(type).kind, BodyContent.schema(of: type, in: body),
            at: body.pointer.appending("content").appending(type).appending("encoding"))
        return Dictionary(encodings.map { (ExactText($0.name), $0) }) { first, _ in first }
    }

    /// What decides on the text of a property, with the defaults. Reserved characters have the same meaning whether they
    /// are percent-encoded or not.
    private static func form(_ encoding: PropertyEncoding?, _ kind: MediaTypeKind) -> [String] {
        let type = encoding?.style == nil ? encoding?.contentType : nil
        var style = encoding?.style
        var explode = encoding?.explode ?? false
        if style == nil, type == nil, kind == .form {
            style = .form
            explode = true
        }
        return [style?.name(explode: explode) ?? "", type ?? ""]
    }

    private func compareHeaders(
        of part: String, _ before: [PartHeader], _ after: [PartHeader], _ place: DiffPlace
    ) {
        func find(_ header: PartHeader, in headers: [PartHeader]) -> PartHeader? {
            headers.first { $0.name.lowercased() == header.name.lowercased() }
        }
        func title(_ header: PartHeader) -> String {
            "the header \"\(header.name)\" of the part \"\(part)\""
        }
        for header in before {
            guard let other = find(header, in: after) else {
                list.report(
                    "part-header-removed", place, "\(title(header)) was removed", request: true,
                    swift: header.constant == nil)
                continue
            }
            if header.constant != other.constant {
                list.report(
                    "part-header-changed", place, "\(title(header)) has another value", request: true,
                    swift: (header.constant == nil) != (other.constant == nil))
            } else if !header.isSet, other.isSet {
                list.report(
                    "part-header-became-required", place, "\(title(header)) became required",
                    request: true, swift: true)
            }
        }
        for header in after where find(header, in: before) == nil {
            list.report(
                "part-header-added", place, "\(title(header)) was added",
                request: header.isRequired, swift: header.isSet)
        }
    }
}

extension PartHeader {
    /// Whether the caller must set it.
    fileprivate var isSet: Bool { isRequired && constant == nil && fallback == nil }
}
