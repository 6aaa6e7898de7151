internal import RoostModel

/// I1 to the byte: each synchronised column reads alike on all replicas, and as its put gives it.
enum SameBytesChecker {
    /// - Parameter images: The images of the files, by device.
    static func check(_ images: [(device: Int, image: FileImage, tables: [ForeignTable])], _ ledger: Ledger) throws {
        for (device, image, tables) in images {
            for table in tables {
                guard let rows = image.tables[table.entity] else {
                    throw Violation(.convergence, "replica \(device) has no table \(table.name)")
                }
                for (id, row) in rows.sorted(by: { $0.key < $1.key }) {
                    let key = RecordKey(entity: table.entity, id: id)
                    guard let put = ledger.records[key]?.put() else {
                        throw Violation(.convergence, "replica \(device) shows \(key.short), which the server has not")
                    }
                    guard table.shows(table.synchronised(row), put.encoded) else {
                        let expected = table.row(of: put.encoded) ?? [:]
                        throw Violation(
                            .convergence,
                            "replica \(device) shows \(key.short) as \(describe(table.synchronised(row))); its put "
                                + "says \(describe(expected))")
                    }
                }
            }
        }
        guard let first = images.first else { return }
        for other in images.dropFirst() { try compare(first, other) }
    }

    private static func compare(
        _ left: (device: Int, image: FileImage, tables: [ForeignTable]),
        _ right: (device: Int, image: FileImage, tables: [ForeignTable])
    ) throws {
        for table in left.tables {
            let (one, other) = (left.image.tables[table.entity] ?? [:], right.image.tables[table.entity] ?? [:])
            for id in Set(one.keys).symmetricDifference(other.keys).sorted() {
                let key = RecordKey(entity: table.entity, id: id)
                // A row that the user's own index refuses is kept and not shown, and other records may be hidden with it.
                guard left.image.unfit.isEmpty, right.image.unfit.isEmpty else { continue }
                throw Violation(
                    .convergence, "one of the replicas \(left.device) and \(right.device) shows \(key.short)")
            }
        }
    }

    static func describe(_ row: [String: ForeignValue]) -> String {
        row.sorted { $0.key < $1.key }.filter { $0.value != .null }.map { "\($0.key) \($0.value.short)" }
            .joined(separator: ", ")
    }
}
