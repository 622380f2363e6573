import CommandArguments
import GatewayClient

/// The output of `--help`, generated from the specifications.
enum HelpText {
    /// The help of the command itself.
    static var tool: String {
        let commands = Commands.program.commands.map {
            "  \(OptionSpec.padded($0.name, 12))\($0.summary)"
        }.joined(separator: "\n")
        return """
            gateway: calls APIs behind an authenticating gateway

            Usage:
              gateway COMMAND [options]
              gateway --help | --version

            Commands:
            \(commands)

            Environment variables name the API and the credential:
              GATEWAY_BASE_URL            the URL that relative URLs begin with; gets the credential
              GATEWAY_TOKEN_URL           the token endpoint, or GATEWAY_ISSUER
              GATEWAY_CLIENT_ID           the client
              GATEWAY_CLIENT_SECRET_FILE  a file with the secret of the client
            or GATEWAY_TOKEN_FILE, a file with a token. For a person who signs in: gateway login --help
            All variables: gateway help environment

            Examples:
              gateway call GET https://api.example.com/books
              gateway token
              gateway help call

            Exit status: 0 done; 1 the response has a status of 400 or more, or an entry of a queue was not changed;
            2 wrong usage or a wrong variable; 3 no token, a rejected one that cannot be renewed, or a failed login
            or logout; 4 no response, or an incomplete one, or the time ran out; 130 or 143 interrupted.

            """
    }

    /// The variables.
    static var environment: String {
        var text = """
            Environment variables. An empty value counts as not set; a wrong one ends the command with status 2 before
            anything is sent. Secrets are safer in files.


            """
        for variable in GatewayEnvironment.Variable.all {
            text += "\(variable.name)\n  \(plain(variable.summary))\n  Value: \(plain(variable.expected))"
            text += (variable.fallback.map { "; default: \(plain($0))" } ?? "") + "\n"
        }
        return text + openTelemetry
    }

    private static let openTelemetry = """

        OpenTelemetry's variables, for gateway call. A value that cannot be used is ignored with a warning.

        TRACEPARENT, TRACESTATE, BAGGAGE
          The trace that the call continues.
        OTEL_EXPORTER_OTLP_ENDPOINT
          The collector that trace, metrics and log of the call are sent to, such as http://127.0.0.1:4318.
        OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER, OTEL_LOGS_EXPORTER
          Value: otlp or none; default: otlp with an endpoint
        OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER and others
          See the type OpenTelemetryEnvironment of the library.

        """

    private static func plain(_ text: String) -> String { text.filter { $0 != "`" } }
}
