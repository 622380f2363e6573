public import GatewayCore
public import GatewayJSON

extension RequestBuilder {
    /// Sets a JSON body; `nil` sends no body.
    public mutating func jsonBody<Value: JSONEncodable>(_ value: Value?, _ mediaType: StaticString) {
        guard let value else { return }
        do throws(JSONError) {
            body = .bytes(try value.jsonBytes())
            contentType(mediaType)
        } catch {
            fail("The body cannot be written as JSON: \(error.message).")
        }
    }

    /// Sets a required JSON body; `nil` is sent as `null`.
    public mutating func nullableJSONBody<Value: JSONEncodable>(
        _ value: Value?, _ mediaType: StaticString
    ) {
        if let value {
            jsonBody(value, mediaType)
        } else {
            jsonBody(JSONValue.null, mediaType)
        }
    }

    /// Sets a body in `application/x-www-form-urlencoded` (WHATWG URL, section 5); `nil` sends no body.
    ///
    /// By default arrays repeat the property name and objects are written as JSON.
    ///
    /// - Parameter encoding: one line for each such property: its name, a tab, and the name of the style or `json`;
    ///   another tab and `reserved` where reserved characters are not percent-encoded.
    public mutating func formBody<Value: JSONEncodable>(_ value: Value?, _ encoding: StaticString = "") {
        guard let value else { return }
        do throws(JSONError) {
            let styles = FormEncoding(encoding)
            var pieces: [String] = []
            for (name, element) in try JSONDocument(value.jsonBytes()).root.object().members {
                pieces += try styles.pieces(name, element)
            }
            body = .text(pieces.joined(separator: "&"))
            contentType("application/x-www-form-urlencoded")
        } catch {
            fail("The body cannot be written as a form: \(error.message).")
        }
    }

    /// Sets a body in `multipart/form-data` (RFC 7578); `nil` sends no body. Files are read while they are sent.
    public mutating func multipartBody<Value: MultipartBody>(_ value: Value?) {
        guard let value else { return }
        multipart { value.write(parts: &$0) }
    }

    /// Sets a body in `multipart/form-data` (RFC 7578) from a type that is encoded as JSON: one part for each member
    /// and for each element of an array member. Objects and nested arrays are written as JSON (OpenAPI 3.2, Encoding
    /// Object). `nil` sends no body.
    ///
    /// - Parameter encoding: one line for each property that is encoded otherwise: its name for JSON; its name, a tab and
    ///   the name of a style; or its name and, after a tab each, `field`, and the name and value of a header field.
    public mutating func multipartFields<Value: JSONEncodable>(
        _ value: Value?, _ encoding: StaticString = ""
    ) {
        guard let value else { return }
        do throws(JSONError) {
            let root = try JSONDocument(value.jsonBytes()).root
            try multipart { (writer) throws(JSONError) in
                try MultipartEncoding(encoding).write(root, to: &writer)
            }
        } catch {
            fail("The body cannot be written as a form: \(error.message).")
        }
    }

    private mutating func multipart<Failure: Error>(
        _ write: (inout MultipartWriter) throws(Failure) -> Void
    ) throws(Failure) {
        let boundary = "gateway-" + client.newIdempotencyKey()
        var writer = MultipartWriter(boundary: boundary)
        try write(&writer)
        if let failure = writer.failure { fail("The body cannot be written as a form: \(failure).") }
        body = MultipartStream.body(writer.finished())
        fields[.contentType] = "multipart/form-data; boundary=" + boundary
    }

    /// Sets a text body; `nil` sends no body.
    public mutating func textBody(_ value: String?, _ mediaType: StaticString) {
        guard let value else { return }
        body = .text(value)
        contentType(mediaType)
    }

    /// Sets any body; `nil` sends no body.
    public mutating func rawBody(_ value: HTTPBody?, _ mediaType: StaticString) {
        guard let value else { return }
        body = value
        contentType(mediaType)
    }

    mutating func contentType(_ mediaType: StaticString) {
        fields[.contentType] = "\(mediaType)"
    }
}
