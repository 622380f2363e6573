import CLibcurl
import GatewayCore

extension EasyHandle {
    /// Sets the options of a configuration; `false` if this libcurl does not support one. An unsupported option must
    /// not be ignored: a missing pin or proxy is worse than a failed request.
    func setChoices(_ configuration: CurlConfiguration) -> Bool {
        setTLS(configuration) && setRoutes(configuration)
    }

    private func setTLS(_ configuration: CurlConfiguration) -> Bool {
        var isSet = true
        // libcurl reads a directory of certificates for each connection, on the loop's thread, but a file only once.
        isSet = set(CURLOPT_CAPATH, nil) && isSet
        isSet = setTrust(configuration) && isSet
        let oldest =
            configuration.minimumTLSVersion == .tls13 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2
        isSet = set(CURLOPT_SSLVERSION, Int(oldest)) && isSet
        if let own = configuration.clientCertificate {
            isSet = set(CURLOPT_SSLKEY, own.keyFile) && isSet
            if let password = own.keyPassword { isSet = set(CURLOPT_KEYPASSWD, password.exposed) && isSet }
        }
        if !configuration.pinnedKeys.isEmpty {
            let pins = configuration.pinnedKeys.map { "sha256//" + $0 }.joined(separator: ";")
            isSet = set(CURLOPT_PINNEDPUBLICKEY, pins) && isSet
        }
        return isSet
    }

    /// Sets the trust files. Their paths are spelled differently after each change of the files.
    func setTrust(_ configuration: CurlConfiguration) -> Bool {
        let files = loop.trustFiles
        trustVersion = files.version
        var isSet = true
        if let trusted = configuration.trustedFile {
            isSet = set(CURLOPT_CAINFO, files.spelled(trusted)) && isSet
        }
        if let own = configuration.clientCertificate {
            isSet = set(CURLOPT_SSLCERT, files.spelled(own.certificateFile)) && isSet
        }
        return isSet
    }

    private func setRoutes(_ configuration: CurlConfiguration) -> Bool {
        var isSet = true
        if let proxy = configuration.proxy {
            isSet = set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1) && isSet
            isSet = set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE)) && isSet
            if let name = proxy.username {
                isSet = set(CURLOPT_PROXYAUTH, 1) && isSet
                isSet = set(CURLOPT_PROXYUSERNAME, name) && isSet
                isSet = set(CURLOPT_PROXYPASSWORD, proxy.password?.exposed ?? "") && isSet
            }
        }
        if let path = configuration.unixSocketPath {
            isSet = set(CURLOPT_UNIX_SOCKET_PATH, path) && isSet
        }
        let resolutions = configuration.resolutions.map {
            "\($0.host):\($0.port):\($0.addresses.joined(separator: ","))"
        }
        let detours = configuration.detours.map { "\($0.host):\($0.port):\($0.toHost):\($0.toPort)" }
        return set(CURLOPT_RESOLVE, resolutions) && set(CURLOPT_CONNECT_TO, detours) && isSet
    }

    /// Sets the proxy for the next requests. An empty name prevents libcurl from reading the environment.
    func setProxy(_ proxy: CurlConfiguration.Proxy?) -> Bool {
        set(CURLOPT_PROXY, proxy.map { "http://\($0.host):\($0.port)" } ?? "")
    }

    private func set(_ option: CURLoption, _ lines: [String]) -> Bool {
        guard !lines.isEmpty else { return true }
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = unsafe curl_slist_append(list, line) else {
                unsafe curl_slist_free_all(list)
                return false
            }
            unsafe list = longer
        }
        unsafe keep(list)
        return unsafe gateway_easy_set_list(easy, option, list) == CURLE_OK
    }
}
