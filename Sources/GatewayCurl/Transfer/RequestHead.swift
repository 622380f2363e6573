import CLibcurl
import GatewayCore

/// The header of a request, passed to libcurl in one of two ways.
///
/// - *Line by line*: a target and a list of header lines. libcurl 7.88 needs 7 ns to format each character of them, and
///   a bearer token is longer than the rest of the request.
/// - *At once*: libcurl copies a request target unchanged, so the fields can follow in it. libcurl appends ` HTTP/1.1`,
///   or ` HTTP/2` on an HTTP/2 connection, which becomes the end of the value of `User-Agent`.
///
/// Both send the same fields, in the same order except for `Host` and `User-Agent`. For HTTP/2, libcurl parses the text
/// that it has written.
@safe
final class RequestHead {
    private enum Form { case lines, atOnce }

    /// What libcurl appends to a target over HTTP/1.1.
    private static let version = " HTTP/1.1"

    private let easy: UnsafeMutableRawPointer
    /// Whether connections may use HTTP/2, so that the version that libcurl appends is not known yet.
    private let speaksHTTP2: Bool
    private let userAgent: String
    /// The configured `User-Agent` without the version at its end; `nil` if it has no version at the end.
    private let product: String?
    private var form = Form.lines
    private let target = RequestText()
    private let headers = HeaderBlock()
    /// The lines of the list that is set, if the request's fields are not in it.
    private var linesAtOnce: HeaderBlock.Extras?
    /// The line with `Host` for the origin.
    private var host = ""

    init(easy: UnsafeMutableRawPointer, settings: LoopSettings) {
        unsafe self.easy = easy
        userAgent = settings.configuration.userAgent
        product = Self.product(userAgent)
        speaksHTTP2 = settings.speaksHTTP2
    }

    /// Sets the origin of the next requests.
    func changeOrigin(_ origin: Origin) {
        host = "Host: \(origin.authority)"
    }

    /// Sets what differs from the previous request; `false` if libcurl rejects it.
    ///
    /// - Parameter isProxied: whether the target is the complete URL, for a proxy (RFC 9112 §3.2.2).
    func update(_ request: HTTPRequest, isProxied: Bool, extras: HeaderBlock.Extras) -> Bool {
        if !isProxied, writeAtOnce(request) {
            guard set(.atOnce), setTarget() else { return false }
            if linesAtOnce == extras { return true }
            linesAtOnce = extras
            return setHeaders("Host:", HTTPFields(), extras)
        }
        linesAtOnce = nil
        target.begin()
        if isProxied { target.write("\(request.origin)") }
        target.write(request.target)
        return set(.lines) && setTarget() && setHeaders(host, request.fields, extras)
    }

    /// Writes the target and the fields; `false` if a field must be passed line by line.
    private func writeAtOnce(_ request: HTTPRequest) -> Bool {
        var product = product
        var namesAgent = false
        target.begin()
        target.write(request.target)
        target.write(Self.version)
        target.write("\r\n")
        target.write(host)
        for field in request.fields {
            switch Self.role(field.name) {
            case .plain:
                target.write("\r\n")
                target.write(field.name.rawName)
                target.write(field.value.isEmpty ? ":" : ": ")
                target.write(field.value)
            case .userAgent:
                // An explicit value is sent unchanged.
                guard !namesAgent, !speaksHTTP2 else { return false }
                namesAgent = true
                product = Self.product(field.value)
            case .framing: return false
            }
        }
        guard let product else { return false }
        target.write("\r\nUser-Agent: ")
        target.write(product)
        return true
    }

    private static func product(_ userAgent: String) -> String? {
        userAgent.hasSuffix(version) && userAgent.utf8.count > version.utf8.count
            ? String(userAgent.dropLast(version.utf8.count)) : nil
    }

    private enum Role { case plain, userAgent, framing }

    /// The role of a field. Fields that libcurl interprets or would write itself must be in its list.
    private static func role(_ name: HTTPField.Name) -> Role {
        switch name.rawName.utf8.count {
        case 2: name == "TE" ? .framing : .plain
        case 4: name == .host ? .framing : .plain
        case 6: name == "Expect" ? .framing : .plain
        case 7: name == "Upgrade" || name == "Trailer" ? .framing : .plain
        case 10: name == .userAgent ? .userAgent : name == "Connection" ? .framing : .plain
        case 14: name == .contentLength ? .framing : .plain
        case 17: name == .transferEncoding ? .framing : .plain
        default: .plain
        }
    }

    private func set(_ newForm: Form) -> Bool {
        guard newForm != form else { return true }
        form = newForm
        guard newForm == .lines, !userAgent.isEmpty else {
            return unsafe gateway_easy_set_string(easy, CURLOPT_USERAGENT, nil) == CURLE_OK
        }
        return unsafe userAgent.withCString {
            unsafe gateway_easy_set_string(easy, CURLOPT_USERAGENT, $0) == CURLE_OK
        }
    }

    private func setTarget() -> Bool {
        guard target.commit() else { return true }
        return unsafe gateway_easy_set_string(easy, CURLOPT_REQUEST_TARGET, target.text) == CURLE_OK
    }

    private func setHeaders(
        _ host: String, _ fields: HTTPFields, _ extras: HeaderBlock.Extras
    ) -> Bool {
        guard headers.update(host: host, fields, extras: extras) else { return true }
        return unsafe gateway_easy_set_headers(easy, headers.list) == CURLE_OK
    }
}
