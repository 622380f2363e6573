import GatewayCore
import GatewayCurl
import GatewayResilience

extension VariableReader {
    /// Time, TLS and way.
    mutating func transport() -> CurlConfiguration {
        var configuration = CurlConfiguration()
        configuration.timeouts = timeouts()
        configuration.caFile = file(.caFile)
        configuration.clientCertificate = clientCertificate()
        configuration.proxy = proxy()
        if let version = choice(.httpVersion, ["1.1": CurlConfiguration.HTTPVersion.http1, "2": .http2]) {
            configuration.httpVersion = version
        }
        return configuration
    }

    /// The hosts that credentials may be sent to over plain HTTP.
    mutating func plainHTTPHosts() -> PlainHTTPHosts {
        guard let hosts = try? PlainHTTPHosts(words(.plainHTTPHosts, commas: true)) else {
            note(.invalidValue, .plainHTTPHosts, "\(Variable.plainHTTPHosts.expected) are expected")
            return .none
        }
        return hosts
    }

    /// The origins that get the credential.
    mutating func origins(baseURL: ParsedURL?) -> [Origin] {
        var origins = baseURL.map { [$0.origin] } ?? []
        for word in words(.origins, commas: true) {
            guard let origin = try? Origin(word) else {
                note(.invalidValue, .origins, "\(Variable.origins.expected) are expected")
                return []
            }
            guard origin.isSecureOrLoopback || plainHTTP.covers(origin) else {
                note(.invalidValue, .origins, GatewayEnvironment.insecure)
                return []
            }
            if !origins.contains(origin) { origins.append(origin) }
        }
        if isSet(.origins), words(.origins, commas: true).isEmpty {
            note(.invalidValue, .origins, "\(Variable.origins.expected) are expected")
        }
        return origins
    }

    /// When calls are sent again; `nil` without a variable.
    mutating func retryPolicy() -> ExponentialRetryPolicy? {
        let preset = choice(
            .retryPolicy,
            [
                "standard": ExponentialRetryPolicy.standard, "patient": .patient, "moderate": .moderate,
                "aggressive": .aggressive, "server": .server,
            ])
        let retries = value(.retries) { text in Int(text).flatMap { (0...100).contains($0) ? $0 : nil } }
        guard let retries else { return preset }
        var policy = preset ?? .standard
        policy.maximumAttempts = retries + 1
        return policy
    }

    /// How many retries the calls to an origin may make; `nil` without a variable.
    mutating func retryBudget() -> RetryBudget?? {
        choice(
            .retryBudget,
            ["standard": RetryBudget?.some(.standard), "strict": .strict, "generous": .generous, "none": nil])
    }

    private mutating func timeouts() -> CurlConfiguration.Timeouts {
        var timeouts =
            choice(
                .timeouts,
                [
                    "standard": CurlConfiguration.Timeouts.standard, "fast": .fast, "slow": .slow,
                    "server": .server,
                ]) ?? .standard
        if let connect = duration(.connectTimeout) { timeouts.connect = connect }
        if let read = duration(.readTimeout) {
            timeouts.read = read
            timeouts.firstByte = read
        }
        if let write = duration(.writeTimeout) { timeouts.write = write }
        if let whole = duration(.attemptTimeout) { timeouts.whole = whole }
        return timeouts
    }

    private mutating func clientCertificate() -> CurlConfiguration.ClientCertificate? {
        let certificate = file(.clientCertificateFile)
        let key = file(.clientKeyFile)
        let password = secret(.clientKeyPassword, file: .clientKeyPasswordFile)
        switch (isSet(.clientCertificateFile), isSet(.clientKeyFile)) {
        case (true, false):
            note(
                .missing, .clientKeyFile, "required by \(Variable.clientCertificateFile)")
        case (false, true):
            note(
                .missing, .clientCertificateFile,
                "required by \(Variable.clientKeyFile)")
        case (false, false):
            refuse(
                [.clientKeyPassword, .clientKeyPasswordFile],
                "not used: \(Variable.clientKeyFile) is not set")
        case (true, true): break
        }
        guard let certificate, let key else { return nil }
        return CurlConfiguration.ClientCertificate(
            certificateFile: certificate, keyFile: key, keyPassword: password)
    }

    private mutating func proxy() -> CurlConfiguration.Proxy? {
        let password = secret(.proxyPassword, file: .proxyPasswordFile)
        if !isSet(.proxy) {
            refuse(
                [.proxyUsername, .proxyPassword, .proxyPasswordFile], "not used: \(Variable.proxy) is not set"
            )
        } else if !isSet(.proxyUsername) {
            refuse(
                [.proxyPassword, .proxyPasswordFile], "not used: \(Variable.proxyUsername) is not set")
        }
        let username = value(.proxyUsername) { $0.contains(":") ? nil : $0 }
        return value(.proxy) { text in
            guard let origin = try? Origin(text), origin.scheme == .http else { return nil }
            var configuration = CurlConfiguration()
            configuration.proxy = CurlConfiguration.Proxy(host: origin.host, port: origin.port)
            guard (try? configuration.validate()) != nil else { return nil }
            return CurlConfiguration.Proxy(
                host: origin.host, port: origin.port, username: username, password: password)
        }
    }
}
