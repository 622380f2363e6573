import CLibcurl
import GatewayCore

/// An easy handle of libcurl, used for one transfer after another. Only options that differ from the last
/// transfer's are set. Belongs to the loop.
@safe
final class EasyHandle {
    /// libcurl's handle. Its memory is freed with this object, which must not be in the multi handle then.
    let easy: UnsafeMutableRawPointer
    private unowned(unsafe) let owner: CurlLoop

    /// The transfer it carries.
    private(set) var transfer: Transfer?
    /// Whose connections it uses.
    private(set) var pool: CurlPool?
    /// What has come in of the response.
    var reader = HeadReader()
    var body: [UInt8] = []
    /// The proxy that requests to the origin go through.
    private(set) var proxy: CurlConfiguration.Proxy?
    /// Whether the request accepts compressed content, to be decompressed here.
    private(set) var offersCompression = false
    /// What decompresses the content; `nil` where it comes as it is.
    var decoder: ContentDecoder?
    /// Why we ended the transfer ourselves.
    var failure: NetworkError?
    /// How often libcurl was about to send the request.
    var sends = 0
    /// The last socket that was opened for the transfer; -1 for none.
    var openedSocket: Int32 = -1
    /// The socket that libcurl waited for last; -1 for none, and for an HTTP/2 stream that shares its own.
    var socket: Int32 = -1
    /// The same with what tells it from later sockets of its number.
    var link: EpollSet.Link?
    /// Whether libcurl has had the whole body.
    var isUploadOver = false
    /// Whether the whole response was there before the request was, and the rest is not sent any more.
    var isAnsweredEarly = false
    /// How many bytes of the body were handed to libcurl.
    var uploaded: Int64 = 0
    /// Whether libcurl's reading stands still because the body has nothing to give.
    var isUploadPaused = false
    /// Whether libcurl's writing stands still because the reader has not taken what is there.
    var isDownloadPaused = false
    /// How many bytes of the content came in, over the wire.
    var received: Int64 = 0
    /// Whether the transfer is given up, and what still comes is thrown away.
    var isDiscarding = false

    /// What is known of a certificate that is for another host, while it is read.
    var mismatch: Mismatch?

    /// Whether libcurl is done with the transfer, and may have closed its socket.
    var hasEnded = false

    let headerLimit: Int
    let fieldCache: FieldCache
    private let head: RequestHead
    private let address = OriginAddress()
    private var origin: Origin?
    private var mode = Mode.get
    private var customMethod: String?
    private var postedCount = 0
    private var lists: [UnsafeMutablePointer<curl_slist>?] = unsafe []
    /// Where libcurl writes why a transfer failed.
    private let errorBuffer: UnsafeMutablePointer<CChar>

    private enum Mode { case get, head, post, upload }

    init?(loop: CurlLoop, settings: LoopSettings) {
        guard let easy = unsafe curl_easy_init() else { return nil }
        unsafe self.easy = easy
        unsafe errorBuffer = ErrorBuffer.allocate()
        unsafe owner = loop
        headerLimit = settings.headerLimit
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

    /// Frees a list with the handle that uses it.
    func keep(_ list: UnsafeMutablePointer<curl_slist>?) { unsafe lists.append(list) }

    /// The loop, which owns its handles and outlives them.
    @inline(__always)
    var loop: CurlLoop { unsafe owner }

    /// libcurl's text about the failure of the transfer; empty where it has none. It may name fields, hosts and paths.
    var errorText: String { unsafe ErrorBuffer.text(errorBuffer) }

    /// The result of verifying the server's certificate, as OpenSSL counts it; `nil` with other TLS libraries.
    var verifyResult: Int? {
        CurlLibrary.usesOpenSSL ? unsafe gateway_easy_get_long(easy, CURLINFO_SSL_VERIFYRESULT) : nil
    }

    /// Takes up a transfer and sets what differs; `false` where libcurl refuses.
    func begin(_ transfer: Transfer, in pool: CurlPool) -> Bool {
        self.transfer = transfer
        self.pool = pool
        let room = unsafe transfer.onLoop.room.take()
        reader.begin(room: room.fields)
        body = room.body
        let request = transfer.request
        var isSet = true
        if origin != request.origin {
            // Remembered only when it holds: what is refused must never go where the one before went.
            origin = nil
            isSet = unsafe address.update(request.origin, easy)
            proxy = loop.settings.configuration.proxy(for: request.origin)
            if loop.settings.configuration.proxy != nil { isSet = setProxy(proxy) && isSet }
            if isSet {
                origin = request.origin
                head.changeOrigin(request.origin)
            }
            if request.origin.scheme == .https { loop.speaksTLS = true }
        }
        // A proxy is told the whole URL (RFC 9112 §3.2.2); through a tunnel it sees none.
        let isProxied = proxy != nil && request.origin.scheme == .http
        isSet = setMethodAndBody(request.method, transfer.upload) && isSet
        var extras: HeaderBlock.Extras = mode == .post || mode == .upload ? [.noExpect, .noContentType] : []
        offersCompression = loop.settings.configuration.acceptsCompression && Self.leavesCoding(request)
        if offersCompression { extras.insert(.compression) }
        return head.update(request, isProxied: isProxied, extras: extras) && isSet
    }

    /// Whether a request leaves to us which codings it accepts. One that asks for a part of an encoded representation
    /// cannot have it decoded (RFC 9110 §14.2).
    private static func leavesCoding(_ request: HTTPRequest) -> Bool {
        !request.fields.contains("Accept-Encoding") && !request.fields.contains(.range)
    }

    /// Lets go of the transfer and all it brought.
    func end() {
        transfer = nil
        pool = nil
        reader.end()
        body = []
        decoder = nil
        failure = nil
        sends = 0
        openedSocket = -1
        socket = -1
        link = nil
        isUploadOver = false
        isAnsweredEarly = false
        uploaded = 0
        isUploadPaused = false
        isDownloadPaused = false
        received = 0
        isDiscarding = false
        hasEnded = false
        // libcurl leaves the text of the transfer before.
        unsafe errorBuffer.pointee = 0
        if mismatch != nil {
            mismatch = nil
            set(CURLOPT_CERTINFO, 0)
        }
        if postedCount > 4096 { post([]) }
    }

    /// What libcurl is to leave alone.
    var pauses: Int32 {
        (isUploadPaused ? CURLPAUSE_SEND : 0) | (isDownloadPaused ? CURLPAUSE_RECV : 0)
    }

    /// A paused download that is taken out as it is leaks what libcurl holds for it (curl #10971): it goes on into
    /// nothing first. `false` where libcurl has ended it meanwhile.
    @discardableResult
    func discardPaused() -> Bool {
        isDiscarding = true
        guard isDownloadPaused else { return true }
        isDownloadPaused = false
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
            // A method that anticipates content says that there is none (RFC 9110 §8.6).
            case "POST", "PUT", "PATCH": (newMode, implied) = (.post, "POST")
            default: (newMode, implied) = (.get, "GET")
            }
        case .small: (newMode, implied) = (.post, "POST")
        case .source: (newMode, implied) = (.upload, "PUT")
        }
        var isSet = true
        if newMode != mode {
            // By way of GET: no trace of the old mode is left, whichever it was.
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
