import CLibcurl
import Foundation
import GatewayCore
import Testing

@testable import GatewayCurl

@Suite struct CurlCodeTests {
    private func curlCode(_ code: CURLcode) throws -> CurlCode {
        CurlCode(code: code, peer: Peer(try Origin("https://api.example.com"), CurlConfiguration()))
    }

    @Test(
        arguments: [
            (CURLE_COULDNT_RESOLVE_HOST, NetworkError.dnsFailure, NetworkError.Phase.resolve),
            (CURLE_COULDNT_RESOLVE_PROXY, .proxyFailure, .resolve), (CURLE_PROXY, .proxyFailure, .connect),
            (CURLE_COULDNT_CONNECT, .noConnection, .connect), (CURLE_OPERATION_TIMEDOUT, .timeout, nil),
            (CURLE_SEND_ERROR, .connectionLost, .send), (CURLE_RECV_ERROR, .connectionLost, nil),
            (CURLE_SEND_FAIL_REWIND, .connectionLost, .send),
            (CURLE_GOT_NOTHING, .connectionLost, .firstByte),
            (CURLE_PARTIAL_FILE, .truncated, .receive), (CURLE_WEIRD_SERVER_REPLY, .malformedResponse, nil),
            (CURLE_BAD_FUNCTION_ARGUMENT, .malformedResponse, nil),
            (CURLE_HTTP2, .connectionLost, nil), (CURLE_HTTP2_STREAM, .connectionLost, nil),
            (CURLE_SSL_CONNECT_ERROR, .tlsFailure, .tls), (CURLE_PEER_FAILED_VERIFICATION, .tlsFailure, .tls),
            (CURLE_SSL_PINNEDPUBKEYNOTMATCH, .pinningFailure, .tls),
            (CURLE_SSL_CACERT_BADFILE, .misconfigured, .tls), (CURLE_URL_MALFORMAT, .invalidURL, .queue),
            (CURLE_READ_ERROR, .bodyFailed, .send), (CURLE_FTP_WEIRD_PASS_REPLY, .other, nil),
        ] as [(CURLcode, NetworkError.Code, NetworkError.Phase?)])
    func meaning(code: CURLcode, expected: NetworkError.Code, phase: NetworkError.Phase?) throws {
        var curlCode = try curlCode(code)
        curlCode.hasHead = true
        let meaning = curlCode.meaning
        #expect(meaning.code == expected)
        #expect(meaning.phase == phase)
    }

    @Test(
        arguments: [
            (
                ECONNREFUSED, NetworkError.connectionRefused,
                "api.example.com:443 refused the connection: check that the server is running and listens there."
            ),
            (
                ENETUNREACH, .noConnection,
                "There is no route to api.example.com:443: check the network of this machine."
            ),
            (
                EHOSTUNREACH, .noConnection,
                "There is no route to api.example.com:443: check the network of this machine."
            ),
            (
                ETIMEDOUT, .timeout,
                "No connection to api.example.com:443: the system's own time limit for connecting passed."
            ),
            (EMFILE, .overloaded, "No connection to api.example.com:443: no file descriptor is left."),
            (0, .noConnection, "No connection to api.example.com:443 could be made."),
        ] as [(Int32, NetworkError.Code, String)])
    func connecting(systemError: Int32, expected: NetworkError.Code, message: String) throws {
        var curlCode = try curlCode(CURLE_COULDNT_CONNECT)
        curlCode.systemError = systemError
        #expect(curlCode.meaning.code == expected && curlCode.meaning.message == message)
    }

    @Test func whatStandsInBetweenIsNamed() throws {
        var configuration = CurlConfiguration()
        configuration.unixSocketPath = "/private/s3cret.sock"
        let code = CurlCode(
            code: CURLE_COULDNT_CONNECT, systemError: ECONNREFUSED,
            peer: Peer(try Origin("http://localhost"), configuration))
        #expect(
            code.meaning.message
                == "The Unix domain socket for localhost:80 refused the connection: check that the server is "
                + "running and listens there.")
    }

    /// An image without CA certificates: the package is named, and the file of the configuration only where there is one.
    @Test func aSystemWithoutCertificatesIsNamed() throws {
        let unreadable = try curlCode(CURLE_SSL_CACERT_BADFILE).meaning
        #expect(unreadable.code == .misconfigured)
        #expect(
            unreadable.message == "This system has no CA certificates that can be read. "
                + "Install the package ca-certificates, or set caFile.")
        var configuration = CurlConfiguration()
        configuration.caFile = "/s3cret/ca.pem"
        let file = CurlCode(
            code: CURLE_SSL_CACERT_BADFILE, peer: Peer(try Origin("https://api.example.com"), configuration))
        #expect(file.meaning.message == "The file of trusted certificates cannot be read: check caFile.")

        var peer = Peer(try Origin("https://api.example.com"), CurlConfiguration())
        peer.trust = .nothing
        for verifyResult in [nil, 2, 20, 21] {
            var code = CurlCode(code: CURLE_PEER_FAILED_VERIFICATION, peer: peer)
            code.verifyResult = verifyResult
            #expect(
                code.meaning.message
                    == "The certificate of api.example.com:443 is not trusted: this system has no CA certificates. "
                    + "Install the package ca-certificates, or set caFile.")
        }
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/GatewayClient/GatewayClient.docc/Errors.md")
        let documented = try String(contentsOf: page, encoding: .utf8).replacing("\n", with: " ")
        #expect(
            documented.contains(
                "`this system has no CA certificates. Install the package ca-certificates, or set caFile.`"))
        var expired = CurlCode(code: CURLE_PEER_FAILED_VERIFICATION, peer: peer)
        expired.verifyResult = 10
        #expect(expired.meaning.message.contains("certificate has expired"))
    }

    /// Whatever libcurl's code, one that kept it from sending again means a lost connection.
    @Test func aForbiddenResendIsALostConnection() throws {
        var curlCode = try curlCode(CURLE_ABORTED_BY_CALLBACK)
        curlCode.isResend = true
        #expect(curlCode.meaning.code == .connectionLost)
    }

    /// The codes without a meaning of their own, up to 99: of protocols and functions that are not used, obsolete ones, and
    /// failures inside libcurl.
    private static let others: [CURLcode] = [
        CURLE_FTP_ACCEPT_FAILED, CURLE_FTP_ACCEPT_TIMEOUT, CURLE_FTP_WEIRD_PASS_REPLY,
        CURLE_FTP_WEIRD_PASV_REPLY,
        CURLE_FTP_WEIRD_227_FORMAT, CURLE_FTP_CANT_GET_HOST, CURLE_FTP_COULDNT_SET_TYPE,
        CURLE_FTP_COULDNT_RETR_FILE, CURLE_FTP_PORT_FAILED, CURLE_FTP_COULDNT_USE_REST, CURLE_FTP_PRET_FAILED,
        CURLE_FTP_BAD_FILE_LIST, CURLE_QUOTE_ERROR, CURLE_REMOTE_ACCESS_DENIED, CURLE_REMOTE_DISK_FULL,
        CURLE_REMOTE_FILE_EXISTS, CURLE_REMOTE_FILE_NOT_FOUND, CURLE_LOGIN_DENIED, CURLE_CHUNK_FAILED,
        CURLE_FILE_COULDNT_READ_FILE, CURLE_LDAP_CANNOT_BIND, CURLE_LDAP_SEARCH_FAILED,
        CURLE_FUNCTION_NOT_FOUND,
        CURLE_TFTP_NOTFOUND, CURLE_TFTP_PERM, CURLE_TFTP_ILLEGAL, CURLE_TFTP_UNKNOWNID, CURLE_TFTP_NOSUCHUSER,
        CURLE_SSH, CURLE_AGAIN, CURLE_RTSP_CSEQ_ERROR, CURLE_RTSP_SESSION_ERROR, CURLE_SETOPT_OPTION_SYNTAX,
        // Redirects, ranges and credentials are not left to libcurl.
        CURLE_TOO_MANY_REDIRECTS, CURLE_HTTP_RETURNED_ERROR, CURLE_HTTP_POST_ERROR, CURLE_RANGE_ERROR,
        CURLE_BAD_DOWNLOAD_RESUME, CURLE_AUTH_ERROR, CURLE_NO_CONNECTION_AVAILABLE,
        CURLE_FAILED_INIT, CURLE_WRITE_ERROR, CURLE_ABORTED_BY_CALLBACK, CURLE_RECURSIVE_API_CALL,
        CURLE_UNRECOVERABLE_POLL,
        CURLE_OBSOLETE20, CURLE_OBSOLETE24, CURLE_OBSOLETE29, CURLE_OBSOLETE32, CURLE_OBSOLETE40,
        CURLE_OBSOLETE44, CURLE_OBSOLETE46, CURLE_OBSOLETE50, CURLE_OBSOLETE51, CURLE_OBSOLETE57,
        CURLE_OBSOLETE62, CURLE_OBSOLETE75, CURLE_OBSOLETE76,
    ]

    @Test(arguments: [false, true]) func everyCodeHasAMeaningOrIsKnownToHaveNone(hasHead: Bool) throws {
        var others = Set(Self.others.map(\.rawValue))
        // Memory is short, or the header is too large.
        if hasHead { others.insert(CURLE_OUT_OF_MEMORY.rawValue) }
        // Codes of later versions of libcurl are not known.
        others.formUnion(CURLE_UNRECOVERABLE_POLL.rawValue + 1..<max(CURL_LAST.rawValue, 101))
        for raw in 1..<CURL_LAST.rawValue {
            var curlCode = try curlCode(CURLcode(raw))
            curlCode.hasHead = hasHead
            #expect((curlCode.meaning.code == .other) == others.contains(raw), "\(raw)")
        }
    }

    /// libcurl's texts may name files, fields and hosts: nothing of them is passed on but OpenSSL's reasons.
    @Test(arguments: [0, 1, 18])
    func noMeaningHasLibcurlsText(verifyResult: Int) throws {
        for raw in 1..<UInt32(CURL_LAST.rawValue) {
            for hasHead in [false, true] {
                var curlCode = try curlCode(CURLcode(raw))
                curlCode.hasHead = hasHead
                curlCode.verifyResult = verifyResult
                curlCode.text = "s3cret /s3cret/key.pem matches target host name 's3cret' error:1:SSL: s3cret"
                let message = curlCode.meaning.message
                #expect(!message.isEmpty && !message.contains("s3cret"), "\(message)")
                #expect(message.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && message.utf8.count < 200)
            }
        }
    }
}
