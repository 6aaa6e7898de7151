import TestProcesses
import Testing

/// Synchronises replicas of one scope until nothing is pending, and expects that all show the same people as the server has.
///
/// - Parameters:
///   - people: The names, sorted.
///   - allCurrent: Whether all journals are to be empty.
func expectAgreement(_ replicas: [String], _ people: [String], allCurrent: Bool = false) throws {
    for _ in 0..<3 { for replica in replicas { try Programs.check("roost", "sync", replica) } }
    for replica in replicas {
        #expect(try Programs.sql(replica, "select name from person order by name").lines == people)
        let status = try Programs.check("roost", "status", replica).standard
        #expect(status.contains("waiting   nothing"), "\(status)")
        #expect(!status.contains("brought back"), "\(status)")
        #expect(
            try Programs.check("roost", "digest", replica).standard
                == Programs.check("roost", "digest", replica, "--server").standard)
        let journal = try Programs.check("roost", "journal", replica).standard
        #expect(!allCurrent || journal.contains("Every change is current"), "\(journal)")
    }
}
