package import RoostMerge
package import RoostModel

extension Replica {
    /// Returns the state of a record under the delete rules, with its reason.
    package func liveness(of key: RecordKey) throws -> Liveness {
        try read("explain a record") { database in
            let replica = try StateStore(database: database).replica
            return try Explanation(database, layout, replica: replica).liveness(of: key)
        }
    }
}
