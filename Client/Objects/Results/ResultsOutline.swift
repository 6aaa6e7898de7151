internal import Replica
internal import RoostModel

/// The sections of a result with their numbers of rows, at one moment: all that a list needs before it shows rows.
struct ResultsOutline {
    struct Section {
        let info: ResultsSectionInfo
        /// The records that the rows of the section name.
        let targets: [RecordID]
    }

    let sections: [Section]
    /// The token of the store's state when the sections were read.
    let token: WriteToken
}
