import GatewayPatterns

/// How the properties of a form are sent.
extension OperationDiff {
    ///
    /// - Parameters:
    ///   - first: An object with `content`, in the old document.
    ///   - second: The same in the new one.
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
        let views = (
            BodyContent.schema(of: type, in: first).flatMap { SchemaView($0, in: old) },
            BodyContent.schema(of: type, in: second).flatMap { SchemaView($0, in: new) }
        )
        for name in Set(before.keys).union(after.keys).sorted() {
            // Properties that only one document has are compared as such; others are not sent.
            if let one = views.0, let two = views.1,
                one.properties[name] == nil || two.properties[name] == nil
            {
                continue
            }
            let (one, two) = (before[name], after[name])
            if !Self.isCovered(Self.form(one, kind), by: Self.form(two, kind)) {
                list.report(
                    "encoding-changed", place, "the encoding of \"\(name.text)\" changed", request: true)
            }
            compareHeaders(of: name.text, one?.headers ?? [], two?.headers ?? [], place) { header, isOld in
                isOld
                    ? Self.schema(of: header, name.text, type, first, in: old)
                    : Self.schema(of: header, name.text, type, second, in: new)
            }
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

    /// Whether the new form is the old one, or has further media types.
    private static func isCovered(_ old: [String], by new: [String]) -> Bool {
        guard old != new else { return true }
        func types(_ form: [String]) -> [String] {
            form[1].split(separator: ",").map { $0.filter { $0 != " " } }
        }
        let (before, after) = (types(old), types(new))
        return old[0] == new[0] && !before.isEmpty && before.allSatisfy { after.contains($0) }
    }

    /// The schema of a header field of a part. Nil: it is text.
    private static func schema(
        of header: PartHeader, _ part: String, _ type: String, _ body: ReferenceResolver.Target,
        in document: DiffDocument
    ) -> RawSchema.Part? {
        let headers = body.node["content"]?[type]?["encoding"]?[part]?["headers"]
        let place = body.pointer.appending("content").appending(type).appending("encoding").appending(part)
            .appending("headers").appending(header.name)
        return document.final(headers?[header.name], at: place).flatMap { BodyContent.headerSchema($0) }
    }

    /// - Parameter schema: The schema of a header field, in the old document or in the new one.
    private func compareHeaders(
        of part: String, _ before: [PartHeader], _ after: [PartHeader], _ place: DiffPlace,
        schema: (PartHeader, _ isOld: Bool) -> RawSchema.Part?
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
            if header.constant == nil, other.constant == nil {
                compareForms(header, other, title(header), place, schema)
            }
            if header.constant.map({ ExactText($0) }) != other.constant.map({ ExactText($0) }) {
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

extension OperationDiff {
    /// The schemas of a header field of a part, and how objects are written.
    private func compareForms(
        _ old: PartHeader, _ new: PartHeader, _ title: String, _ place: DiffPlace,
        _ schema: (PartHeader, _ isOld: Bool) -> RawSchema.Part?
    ) {
        let parts = (schema(old, true), schema(new, false))
        if let first = parts.0, let second = parts.1 { schemas.compare(first, second, .request) }
        let isObject = parts.1.flatMap { SchemaView($0, in: self.new) }?.types.contains(.object) ?? false
        guard old.isJSON != new.isJSON || (isObject && !new.isJSON && old.explode != new.explode) else {
            return
        }
        list.report("part-header-changed", place, "\(title) is written in another form", request: true)
    }
}

extension PartHeader {
    /// Whether the caller must set it.
    fileprivate var isSet: Bool { isRequired && constant == nil && fallback == nil }
}
