private import GatewayLibC

extension NetworkError {
    /// Whether an `errno` means that the process or the system has no more file descriptors.
    package static func isDescriptorShortage(_ code: Int32) -> Bool { code == EMFILE || code == ENFILE }

    /// The error if no file descriptor is available. Nothing was sent; a later attempt may succeed.
    package static func descriptorShortage(origin: Origin? = nil, phase: Phase? = nil) -> NetworkError {
        NetworkError(
            .overloaded,
            "No file descriptor is left: close files and connections, or raise the process's limit (ulimit -n).",
            origin: origin, phase: phase)
    }
}
