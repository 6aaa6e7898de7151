import Foundation
import GRDB
import Replica
import RoostModel
import TestScope
import Testing

/// Values that only a program writes that bypasses the tables' CHECKs.
@Suite struct RefusedValueTests {
    /// The put can have neither a number in place of a boolean nor an invalid reference. The reason has both.
    @Test(arguments: [false, true]) func theReasonHasWhatThePutHasNot(isKnown: Bool) throws {
        let scope = MemoryScope()
        let file = try TemporaryReplica(TemporaryReplica.people)
        if isKnown {
            try file.sql("INSERT INTO spending(id, content) VALUES (\(id(1)), 'dinner')")
            try scope.synchronise(file.replica)
        }
        try file.sql(
            """
            PRAGMA ignore_check_constraints = ON;
            INSERT OR REPLACE INTO spending(id, content, paid, person, approver) VALUES (\(id(1)), 'tea', 5, x'1234', x'56');
            PRAGMA ignore_check_constraints = OFF
            """)
        try scope.synchronise(file.replica)
        let reasons = try file.texts("SELECT reason FROM roost_journal").joined()
        for value in ["It is 5.", "X'1234'", "X'56'"] { #expect(reasons.contains(value), "\(reasons)") }
    }

    /// A record from elsewhere replaces a row that was never sent.
    @Test func theReasonOfABeatenRowHasWhatThePutHasNot() throws {
        let scope = MemoryScope()
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), CAST(x'66ff41' AS TEXT))")
        try file.replica.settle()
        let other = try TemporaryReplica(TemporaryReplica.people)
        try other.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try scope.synchronise(other.replica)
        try scope.pull(file.replica)
        #expect(try file.texts("SELECT name FROM person") == ["Ana"])
        let reasons = try file.texts("SELECT reason FROM roost_journal WHERE outcome = 'beaten'").joined()
        #expect(reasons.contains("CAST(X'66FF41' AS TEXT)"), "\(reasons)")
    }
}
