import GatewayLibC

/// Standard input, standard output and standard error.
enum StandardDescriptors {
    /// Occupies those that were closed when this command was started, so that no file, pipe or socket gets their numbers and
    /// is used in their place. To read or to write them fails, as it would if they were closed. Called before anything is
    /// opened.
    static func occupy() {
        for (descriptor, access) in [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
        ] where fcntl(descriptor, F_GETFD) < 0 {
            // It gets the lowest number that is free.
            _ = unsafe open("/dev/null", access)
        }
    }
}
