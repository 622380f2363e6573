#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Files that only one thread, and those that it starts, see.
enum MountNamespace {
    /// Shows a file to the calling thread in place of another one.
    static func show(_ file: String, at path: String) -> Bool {
        // The Glibc module leaves both out.
        guard let unshareSymbol = dlsym(nil, "unshare"), let mountSymbol = dlsym(nil, "mount") else {
            return false
        }
        typealias Unshare = @convention(c) (Int32) -> Int32
        typealias Mount =
            @convention(c) (
                UnsafePointer<CChar>?, UnsafePointer<CChar>, UnsafePointer<CChar>?, UInt, UnsafeRawPointer?
            ) -> Int32
        let mount = unsafeBitCast(mountSymbol, to: Mount.self)
        let (mountNamespaces, bind, recursive, isPrivate): (Int32, UInt, UInt, UInt) = (
            0x2_0000, 0x1000, 0x4000, 0x4_0000
        )
        guard unsafeBitCast(unshareSymbol, to: Unshare.self)(mountNamespaces) == 0,
            mount(nil, "/", nil, recursive | isPrivate, nil) == 0
        else { return false }
        return mount(file, path, nil, bind, nil) == 0
    }
}
