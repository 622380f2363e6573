import CLibcurl

extension EasyHandle {
    /// Sets the options that are the same for all transfers.
    func setUp(_ settings: LoopSettings) {
        setSafety()
        setConnections(settings)
        setProtocol(settings)
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe gateway_easy_set_pointer(easy, CURLOPT_PRIVATE, context)
        unsafe gateway_easy_set_receivers(easy, CurlCallbacks.header, CurlCallbacks.body, context)
        unsafe gateway_easy_set_reader(easy, CurlCallbacks.read, CurlCallbacks.seek, context)
        unsafe gateway_easy_set_prerequest(easy, CurlCallbacks.prerequest, context)
        if settings.speaksHTTP2 { unsafe gateway_easy_set_debug(easy, CurlCallbacks.note, context) }
        if CurlLibrary.usesOpenSSL {
            unsafe gateway_easy_set_tls_setup(
                easy, CurlCallbacks.sessionSetup, Unmanaged.passUnretained(loop).toOpaque())
        }
        unsafe gateway_easy_set_sockets(
            easy, CurlCallbacks.openSocket, context, CurlCallbacks.closeSocket,
            Unmanaged.passUnretained(loop).toOpaque())
    }

    private func setSafety() {
        set(CURLOPT_NOSIGNAL, 1)
        // Removing a handle during name resolution must not block the loop.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_UNRESTRICTED_AUTH, 0)
        set(CURLOPT_NETRC, 0)
        // Empty: otherwise libcurl would read the proxy and its exceptions from the environment for each transfer.
        set(CURLOPT_PROXY, "")
        set(CURLOPT_NOPROXY, "")
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_HTTP09_ALLOWED, 0)
    }

    private func setConnections(_ settings: LoopSettings) {
        // No libcurl timeouts, because the timer wheel of the loop has all of them. libcurl stores its timers in a
        // tree, which costs a microsecond per request. Its default ends connecting after 300 s.
        if settings.limits.connect >= 299_000_000_000 {
            set(CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: settings.limits.connect / 1_000_000 + 1000))
        }
        set(CURLOPT_MAXAGE_CONN, settings.idleSeconds)
        set(CURLOPT_MAXLIFETIME_CONN, LoopSettings.seconds(settings.configuration.maximumConnectionAge))
        if let keepAlive = settings.configuration.tcpKeepAlive {
            set(CURLOPT_TCP_KEEPALIVE, 1)
            set(CURLOPT_TCP_KEEPIDLE, LoopSettings.seconds(keepAlive.idle))
            set(CURLOPT_TCP_KEEPINTVL, LoopSettings.seconds(keepAlive.interval))
        }
        unsafe gateway_easy_set_pointer(easy, CURLOPT_SHARE, loop.share)
    }

    private func setProtocol(_ settings: LoopSettings) {
        set(CURLOPT_HTTP_VERSION, Int(settings.speaksHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
        set(CURLOPT_PIPEWAIT, settings.speaksHTTP2 ? 1 : 0)
        if settings.speaksHTTP2, !CurlLibrary.keepsLongHeads {
            set(CURLOPT_BUFFERSIZE, min(headerLimit, 256 << 10) + (16 << 10))
        }
        let userAgent = settings.configuration.userAgent
        set(CURLOPT_USERAGENT, userAgent.isEmpty ? nil : userAgent)
    }
}
