import CLibcurl
import GatewayCore

/// A libcurl easy handle that is reused for many transfers. Only options that differ from those of the previous
/// transfer are set. Owned by the loop.
@safe
final class EasyHandle {
    /// libcurl's handle. It is freed with this object, and must not be in the multi handle then.
    let easy: UnsafeMutableRawPointer
    private let owner: Unmanaged<CurlLoop>

    /// The current transfer.
    private(set) var transfer: Transfer?
    /// The pool whose connections are used.
    private(set) var pool: CurlPool?
    /// Reads the response header.
    var reader = HeadReader()
    var body: [UInt8] = []
    /// The proxy for requests to the current origin.
    private(set) var proxy: CurlConfiguration.Proxy?
    /// Whether the request accepts compressed content, which is decompressed here.
    private(set) var offersCompression = false
    /// The decoder of compressed content; `nil` if it is not decompressed.
    var decoder: ContentDecoder?
    /// The other state of the transfer.
    var progress = Progress()
    /// The connection and number of the HTTP/2 stream, if libcurl has reported them.
    var stream = Stream()
    /// Whether libcurl's debug texts are enabled.
    var isListening = false
    /// The address of the TLS session whose end delimits the content; `nil` if the content is delimited otherwise.
    var session: UInt?
    /// Whether the peer has ended that session.
    var hasSessionEnded = false
    /// A certificate that does not match the host, while its names are read.
    var mismatch: Mismatch?

    /// The version of the trust files that the handle is set to.
    var trustVersion = 0
    /// The lifetime of cached names that is set, in seconds.
    private var nameAge = NameCacheAge.standard

    let headerLimit: Int
    private let acceptsCompression: Bool
    let fieldCache: FieldCache
    private let head: RequestHead
    private let address = OriginAddress()
    private var origin: Origin?
    private var mode = Mode.get
    private var customMethod: String?
    private var opensConnection = false
    private var postedCount = 0
    private var lists: [UnsafeMutablePointer<curl_slist>?] = unsafe []
    /// The buffer for libcurl's error text.
    private let errorBuffer: UnsafeMutablePointer<CChar>

    private enum Mode { case get, head, post, upload }

    init?(loop: CurlLoop, settings: LoopSettings) {
        guard let easy = unsafe curl_easy_init() else { return nil }
        unsafe self.easy = easy
        unsafe errorBuffer = ErrorBuffer.allocate()
        unsafe owner = Unmanaged.passUnretained(loop)
        headerLimit = max(0, settings.configuration.responseHeaderLimitBytes)
        acceptsCompression = settings.configuration.acceptsCompression
        fieldCache = loop.fieldCache
        head = unsafe RequestHead(easy: easy, settings: settings)
        setUp(settings)
        unsafe gateway_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorBuffer)
        guard setChoices(settings.configuration) else { return nil }
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe errorBuffer.deallocate()
        unsafe lists.forEach { unsafe curl_slist_free_all($0) }
    }

    /// Keeps a list that the handle uses. It is freed with the handle.
    func keep(_ list: UnsafeMutablePointer<curl_slist>?) { unsafe lists.append(list) }

    /// The loop, which owns its handles and outlives them.
    @inline(__always)
    var loop: CurlLoop { unsafe owner.takeUnretainedValue() }

    /// Calls a function with the loop, without reference counting.
    @inline(__always)
    func withLoop<Result>(_ body: (CurlLoop) -> Result) -> Result {
        unsafe owner._withUnsafeGuaranteedRef(body)
    }

    /// Clears libcurl's error text. Why: libcurl does not clear it if another transfer fails without a text.
    func clearErrorText() { unsafe errorBuffer.pointee = 0 }

    /// libcurl's text about the failure of the transfer; empty if there is none. It may contain fields, hosts and
    /// paths.
    var errorText: String { unsafe ErrorBuffer.text(errorBuffer) }

    /// The result of verifying the server's certificate, as defined by OpenSSL; `nil` with other TLS libraries.
    var verifyResult: Int? {
        CurlLibrary.usesOpenSSL ? unsafe gateway_easy_get_long(easy, CURLINFO_SSL_VERIFYRESULT) : nil
    }

    /// Starts a transfer and sets the options that differ; `false` if libcurl rejects one.
    func begin(_ transfer: Transfer, in pool: CurlPool) -> Bool {
        self.transfer = transfer
        self.pool = pool
        var fields = HTTPFields()
        unsafe swap(&fields, &transfer.onLoop.room.fields)
        reader.begin(room: consume fields)
        unsafe swap(&body, &transfer.onLoop.room.body)
        let request = transfer.request
        var isSet = true
        if !isOrigin(of: request) {
            // Stored only on success: a rejected request must never go to the previous origin.
            origin = nil
            isSet = unsafe address.update(request.origin, easy)
            proxy = loop.settings.configuration.proxy(for: request.origin)
            if loop.settings.configuration.proxy != nil { isSet = setProxy(proxy) && isSet }
            if isSet {
                origin = request.origin
                head.changeOrigin(request.origin)
            }
        }
        if request.origin.scheme == .https {
            loop.trustFiles.look(at: loop.systemNow)
            if trustVersion != loop.trustFiles.version {
                isSet = setTrust(loop.settings.configuration) && isSet
            }
        }
        if opensConnection != transfer.context.opensConnection {
            opensConnection.toggle()
            isSet = set(CURLOPT_FRESH_CONNECT, opensConnection ? 1 : 0) && isSet
        }
        let age = withLoop { $0.names?.seconds(at: $0.systemNow) ?? NameCacheAge.standard }
        if age != nameAge {
            nameAge = age
            isSet = set(CURLOPT_DNS_CACHE_TIMEOUT, age) && isSet
        }
        // A proxy gets the complete URL (RFC 9112 §3.2.2), except through a tunnel.
        let isProxied = proxy != nil && request.origin.scheme == .http
        isSet = setMethodAndBody(request.method, transfer.upload) && isSet
        var extras: HeaderBlock.Extras = mode == .post || mode == .upload ? [.noExpect, .noContentType] : []
        offersCompression = acceptsCompression && Self.leavesCoding(request)
        if offersCompression { extras.insert(.compression) }
        return head.update(request, isProxied: isProxied, extras: extras) && isSet
    }

    /// Whether the handle is configured for the origin of a request.
    @inline(__always)
    private func isOrigin(of request: HTTPRequest) -> Bool {
        guard let origin else { return false }
        return origin.isIdentical(to: request.origin) || origin == request.origin
    }

    /// Whether this library may add `Accept-Encoding` to a request. A range of an encoded representation
    /// cannot be decoded (RFC 9110 §14.2).
    private static func leavesCoding(_ request: HTTPRequest) -> Bool {
        !request.fields.contains("Accept-Encoding") && !request.fields.contains(.range)
    }

    /// Resets the state of the transfer.
    func end() {
        transfer = nil
        pool = nil
        reader.end()
        body = []
        decoder = nil
        progress = Progress()
        endListening()
        forgetSession()
        clearErrorText()
        if mismatch != nil {
            mismatch = nil
            set(CURLOPT_CERTINFO, 0)
        }
        if postedCount > 4096 { post([]) }
    }

    /// The directions that are paused.
    var pauses: Int32 {
        (progress.isUploadPaused ? CURLPAUSE_SEND : 0) | (progress.isDownloadPaused ? CURLPAUSE_RECV : 0)
    }

    /// Continues a paused download and discards its bytes. Why: removing a paused handle would leak libcurl's buffer
    /// (curl #10971). Returns `false` if libcurl has already ended the transfer.
    @discardableResult
    func discardPaused() -> Bool {
        progress.isDiscarding = true
        guard progress.isDownloadPaused else { return true }
        progress.isDownloadPaused = false
        return unsafe curl_easy_pause(easy, pauses) == CURLE_OK
    }

    private func setMethodAndBody(_ method: HTTPMethod, _ upload: Upload) -> Bool {
        let newMode: Mode
        let implied: String
        switch upload {
        case .none:
            switch method.rawValue {
            case "GET": (newMode, implied) = (.get, "GET")
            case "HEAD": (newMode, implied) = (.head, "HEAD")
            // These methods are sent with `Content-Length: 0` if there is no content (RFC 9110 §8.6).
            case "POST", "PUT", "PATCH": (newMode, implied) = (.post, "POST")
            default: (newMode, implied) = (.get, "GET")
            }
        case .small: (newMode, implied) = (.post, "POST")
        case .source: (newMode, implied) = (.upload, "PUT")
        }
        var isSet = true
        if newMode != mode {
            // Reset to GET first, to clear the previous mode.
            if mode != .get { isSet = set(CURLOPT_HTTPGET, 1) }
            switch newMode {
            case .get: break
            case .head: isSet = set(CURLOPT_NOBODY, 1) && isSet
            case .post: isSet = set(CURLOPT_POST, 1) && isSet
            case .upload: isSet = set(CURLOPT_UPLOAD, 1) && isSet
            }
            mode = newMode
        }
        let newCustom = method.rawValue == implied ? nil : method.rawValue
        if newCustom != customMethod {
            customMethod = newCustom
            isSet = set(CURLOPT_CUSTOMREQUEST, newCustom) && isSet
        }
        switch upload {
        case .none:
            if newMode == .post { isSet = post([]) && isSet }
        case .small(let bytes): isSet = post(bytes) && isSet
        case .source(let source):
            isSet =
                unsafe gateway_easy_set_offset(easy, CURLOPT_INFILESIZE_LARGE, Int(source.length ?? -1))
                == CURLE_OK && isSet
        }
        return isSet
    }

    @discardableResult
    private func post(_ bytes: [UInt8]) -> Bool {
        postedCount = bytes.count
        guard unsafe gateway_easy_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, bytes.count) == CURLE_OK
        else { return false }
        guard !bytes.isEmpty else { return set(CURLOPT_COPYPOSTFIELDS, "") }
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe gateway_easy_set_string(
                easy, CURLOPT_COPYPOSTFIELDS, bytes.bindMemory(to: CChar.self).baseAddress) == CURLE_OK
        }
    }

    @discardableResult
    func set(_ option: CURLoption, _ value: Int) -> Bool {
        unsafe gateway_easy_set_long(easy, option, value) == CURLE_OK
    }

    @discardableResult
    func set(_ option: CURLoption, _ value: String?) -> Bool {
        guard let value else { return unsafe gateway_easy_set_string(easy, option, nil) == CURLE_OK }
        return unsafe value.withCString { unsafe gateway_easy_set_string(easy, option, $0) == CURLE_OK }
    }
}
