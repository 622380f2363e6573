/// Reads `encoding`: how the properties of a form are sent.
struct PropertyEncodingReader {
    let sink: DiagnosticSink
    let schemas: SchemaTranslator

    /// The encodings of the properties of a form, by name.
    ///
    /// - Parameter form: The schema of the form.
    func read(
        _ node: Node?, _ kind: MediaTypeKind, _ form: RawSchema.Part?, at pointer: JSONPointer
    ) -> [PropertyEncoding] {
        guard kind == .form || kind == .multipart else {
            if let node {
                sink.warn(
                    .ignoredKeyword, "\"encoding\" is ignored: it describes forms only", at: node.position)
            }
            return []
        }
        let encodings = (node?.members ?? []).map { member in
            let own = member.value
            let hasStyles = kind == .form || schemas.reader.version != .v3_0
            var style = own["style"]?.string.flatMap { ParameterStyle(rawValue: $0) }
            if let found = style, !found.locations.contains(.query) { style = nil }
            let explode = own["explode"]?.bool
            let allowsReserved = own["allowReserved"]?.bool
            if style == nil, explode != nil || allowsReserved != nil { style = .form }
            if !hasStyles { style = nil }
            if hasStyles { checkStyle(member, style) } else { ignoreStyle(of: member) }
            if kind == .form, let headers = own.object?.member("headers") {
                ignore(headers, of: member, "only parts of a multipart form have headers")
            }
            return PropertyEncoding(
                name: member.key, style: style, explode: explode ?? style?.isExploded ?? false,
                allowsReserved: allowsReserved ?? false, contentType: own["contentType"]?.string,
                headers: kind == .form
                    ? [] : headers(of: member, at: pointer.appending(member.key).appending("headers")),
                position: member.keyPosition)
        }
        let files = kind == .multipart ? self.files(of: form, besides: encodings) : []
        let all = kind == .multipart ? addingEncodedTexts(of: form, to: encodings + files) : encodings
        return all.sorted { ExactText($0.name) < ExactText($1.name) }
    }

    /// Adds the media type and the `Content-Transfer-Encoding` of parts whose schemas have a `contentEncoding` (OpenAPI 3.2,
    /// Encoding Object: default of `contentType`, and `contentEncoding` in `multipart/form-data`).
    private func addingEncodedTexts(
        of form: RawSchema.Part?, to encodings: [PropertyEncoding]
    ) -> [PropertyEncoding] {
        guard schemas.reader.version != .v3_0, let flat = form.flatMap({ schemas.resolved($0) }) else {
            return encodings
        }
        var result = encodings
        for property in flat.properties {
            guard let (encoding, type) = property.parts.lazy.compactMap({ encodedText($0) }).first else {
                continue
            }
            let header = PartHeader(
                name: "Content-Transfer-Encoding",
                schema: Schema(shape: .string(.plain), position: property.position), text: nil,
                explode: false, isRequired: false, constant: encoding, position: property.position)
            guard let index = result.firstIndex(where: { $0.name.isSame(as: property.name) }) else {
                result.append(
                    PropertyEncoding(
                        name: property.name, style: nil, explode: false, contentType: type, isImplied: true,
                        headers: [header], position: property.position))
                continue
            }
            guard result[index].style == nil, !result[index].isJSON else { continue }
            if result[index].contentType == nil {
                result[index].contentType = type
                result[index].isImplied = true
            }
            if !result[index].headers.contains(where: { $0.name.lowercased() == header.name.lowercased() }) {
                result[index].headers.append(header)
                result[index].headers.sort { $0.name < $1.name }
            }
        }
        return result
    }

    /// The encoding and the media type of a text that encodes bytes, or of the elements of an array.
    private func encodedText(_ part: RawSchema.Part) -> (encoding: String, type: String)? {
        guard let node = part.node, let own = try? schemas.resolver.final(node, at: part.pointer) else {
            return nil
        }
        var target = own.node
        if target["contentEncoding"] == nil, let items = target["items"] {
            guard let item = try? schemas.resolver.final(items, at: own.pointer.appending("items")) else {
                return nil
            }
            target = item.node
        }
        guard let encoding = target["contentEncoding"]?.string,
            ["base64", "base64url", "base32", "base16", "quoted-printable"].contains(encoding.lowercased())
        else { return nil }
        let type = target["contentMediaType"]?.string
        return (encoding, type.flatMap { $0.contains("*") ? nil : $0 } ?? "application/octet-stream")
    }

    /// The files of a form whose schemas name their media types, and that have no encoding.
    private func files(
        of form: RawSchema.Part?, besides known: [PropertyEncoding]
    ) -> [PropertyEncoding] {
        guard let flat = form.flatMap({ schemas.resolved($0) }) else { return [] }
        return flat.properties.compactMap { property in
            guard !known.contains(where: { $0.name.isSame(as: property.name) }),
                let type = property.parts.lazy.compactMap({ fileType(of: $0) }).first
            else { return nil }
            return PropertyEncoding(
                name: property.name, style: nil, explode: false, contentType: type,
                position: property.position)
        }
    }

    private func fileType(of part: RawSchema.Part) -> String? {
        guard let node = part.node, let target = try? schemas.resolver.final(node, at: part.pointer) else {
            return nil
        }
        return RawSchemaReader.fileType(of: target.node)
            ?? target.node["items"].flatMap { RawSchemaReader.fileType(of: $0) }
    }

    /// Reports a style that the specification does not allow for a property of a form, and a media type that a style
    /// replaces.
    private func checkStyle(_ member: Node.Object.Member, _ style: ParameterStyle?) {
        let styles = ParameterStyle.allCases.filter { $0.locations.contains(.query) }.map(\.rawValue)
        if let style = member.value["style"], !styles.contains(style.string ?? "") {
            sink.warn(
                .unsupportedMediaType,
                "\"style\" of the property \"\(member.key)\" must be one of \(styles.joined(separator: ", "))",
                at: style.position)
        }
        if style != nil, let type = member.value.object?.member("contentType") {
            ignore(type, of: member, "its style takes precedence")
        }
    }

    /// Reports the keywords of the style of a part, which have no effect in OpenAPI 3.0.
    private func ignoreStyle(of member: Node.Object.Member) {
        for keyword in member.value.members
        where ["style", "explode", "allowReserved"].contains(keyword.key) {
            ignore(keyword, of: member, "OpenAPI 3.0 has it only for application/x-www-form-urlencoded")
        }
    }

    private func ignore(
        _ keyword: Node.Object.Member, of member: Node.Object.Member, _ reason: String
    ) {
        sink.warn(
            .ignoredKeyword, "\"\(keyword.key)\" of the property \"\(member.key)\" is ignored: \(reason)",
            at: keyword.keyPosition)
    }
}
