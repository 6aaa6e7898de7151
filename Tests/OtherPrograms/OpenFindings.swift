/// The cases that fail at present, grouped by finding.
///
/// A listed case must fail, and every other one must pass. A fix removes the lines of the cases that it repairs.
enum OpenFindings {
    static let cases: Set<String> = []
}
