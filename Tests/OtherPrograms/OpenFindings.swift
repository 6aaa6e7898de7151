/// The cases that fail at present, under the finding that each belongs to.
///
/// A case that is listed has to fail, and every other one has to pass. A fix removes the lines of what it repairs.
enum OpenFindings {
    static let cases: Set<String> = []
}
