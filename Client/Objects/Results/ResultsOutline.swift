internal import Replica
internal import RoostModel

/// The sections of a result and how many rows each has, at one moment: what a list needs before it shows rows.
struct ResultsOutline {
    struct Section {
        let info: ResultsSectionInfo
        /// The records that the rows of the section name.
        let targets: [RecordID]
    }

    let sections: [Section]
    /// What was written to the store until then.
    let token: WriteToken
}
