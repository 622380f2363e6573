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

    /// Whatever libcurl's code, one that kept it from sending again means a lost connection.
    @Test func aForbiddenResendIsALostConnection() throws {
        var curlCode = try curlCode(CURLE_ABORTED_BY_CALLBACK)
        curlCode.isResend = true
        #expect(curlCode.meaning.code == .connectionLost)
    }

    /// libcurl's texts may name files, fields and hosts: nothing of them is passed on but OpenSSL's reasons.
    @Test(arguments: [0, 1, 18])
    func everyCodeHasAMeaningWithoutLibcurlsText(verifyResult: Int) throws {
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
