import CLibcurl
import GatewayCore

/// What goes out before a body, given to libcurl in one of two ways.
///
/// - *Line by line*: a target and a list of header lines, which libcurl formats character by character: 7 ns each in
///   libcurl 7.88, for a bearer token longer than all the rest of the request.
/// - *At once*: libcurl copies a request target as it is, so the fields can follow in it. libcurl then writes
///   ` HTTP/1.1`, which has to end a field's value: the one of `User-Agent`, where that ends so.
///
/// Both put the same fields on the wire, `Host` and `User-Agent` apart in the same order.
@safe
final class RequestHead {
    private enum Form { case lines, atOnce }

    /// What libcurl writes behind a target.
    private static let version = " HTTP/1.1"

    private let easy: UnsafeMutableRawPointer
    private let mayBeAtOnce: Bool
    private let userAgent: String
    /// The configured `User-Agent` without the version at its end; `nil` where it has none.
    private let product: String?
    private var form = Form.lines
    private let target = RequestText()
    private let headers = HeaderBlock()
    /// `Host` and its value, made once for an origin.
    private var host = ""

    init(easy: UnsafeMutableRawPointer, settings: LoopSettings) {
        unsafe self.easy = easy
        userAgent = settings.userAgent
        product = Self.product(userAgent)
        mayBeAtOnce = !settings.speaksHTTP2
    }

    /// From now on requests go to another origin.
    func changeOrigin(_ origin: Origin) {
        host = "Host: \(origin.authority)"
    }

    /// Sets what differs from the request before; `false` where libcurl refuses.
    ///
    /// - Parameter isProxied: whether a proxy reads the target, which is the whole URL then (RFC 9112 §3.2.2).
    func update(_ request: HTTPRequest, isProxied: Bool, extras: HeaderBlock.Extras) -> Bool {
        if mayBeAtOnce, !isProxied, writeAtOnce(request) {
            return set(.atOnce) && setTarget() && setHeaders("Host:", HTTPFields(), extras)
        }
        target.begin()
        if isProxied { target.write("\(request.origin)") }
        target.write(request.target)
        return set(.lines) && setTarget() && setHeaders(host, request.fields, extras)
    }

    /// Writes target and fields, up to where libcurl goes on; `false` where a field stands in the way.
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
                guard !namesAgent else { return false }
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

    /// What libcurl looks for in its list, because it would write it itself or acts on it, stays there.
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
