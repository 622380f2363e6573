/// The keywords whose value is a schema of parts of the value, in the way of their own (JSON Schema 2020-12, Core,
/// section 10.3). `properties` and `additionalProperties`, from which members are generated, are not among them.
///
/// This is the only list of them: they are read, merged, compared and validated by it.
enum Applicator: String, CaseIterable {
    case items
}
