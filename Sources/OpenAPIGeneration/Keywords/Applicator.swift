/// The keywords whose value is a schema for parts of the instance (JSON Schema 2020-12, Core, section 10.3), except
/// `properties` and `additionalProperties`, from which members are generated.
///
/// Reading, merging, comparing and validating schemas all use this list.
enum Applicator: String, CaseIterable {
    case items
}
