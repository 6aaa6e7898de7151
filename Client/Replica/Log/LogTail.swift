internal import CSQLite
internal import GRDB

/// The transactions in a WAL that SQLite ignores, because a frame before them cannot be read.
///
/// SQLite follows the checksums of a WAL from its start, and ignores everything after the first wrong one. Frames behind it that
/// belong to the WAL, continue each other's checksums and end with a commit were once written completely.
struct LogTail: Hashable {
    /// The number of commits.
    var transactions = 0
    /// The identity of the last commit: the salts and the checksum of its frame.
    var name: [UInt8] = []

    /// Searches the WAL behind the last frame that SQLite accepts.
    ///
    /// Costs microseconds where nothing is there, or where a WAL was restarted in a longer file (decision 55). Another process
    /// may be writing there: the result is certain only for a caller that may write.
    ///
    /// - Returns: `nil` where nothing is lost, also where everything was checkpointed.
    static func find(_ database: Database) throws -> LogTail? {
        guard let connection = database.sqliteConnection, let log = csqlite_log_file(connection) else { return nil }
        let taken = Int(csqlite_log_frames(connection))
        let bytes = Int(csqlite_file_size(log))
        // The shortest tail is an unreadable frame with one frame behind it.
        guard taken >= 0, bytes >= LogFrame.headerBytes + 2 * (LogFrame.ownBytes + 512) else { return nil }
        let pageBytes = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
        let reader = LogReader(
            log: log, pageBytes: pageBytes, count: (bytes - LogFrame.headerBytes) / (LogFrame.ownBytes + pageBytes))
        guard reader.count - taken >= 2, let (tail, pages) = reader.tail(after: taken) else { return nil }
        guard let file = csqlite_database_file(connection) else { return tail }
        return reader.isCopiedBack(pages, taken: taken, into: file) ? nil : tail
    }
}

/// The header of one frame.
private struct LogFrame {
    /// The sizes of the WAL's header, and of the header of each frame.
    static let headerBytes = 32
    static let ownBytes = 24

    var page = 0
    var isCommit = false
    /// Both salts, which all frames of one WAL share.
    var salts: ArraySlice<UInt8>
    /// The checksum up to and including this frame, as two big-endian words.
    var checksum: ArraySlice<UInt8>

    init(salts: ArraySlice<UInt8>, checksum: ArraySlice<UInt8>) {
        (self.salts, self.checksum) = (salts, checksum)
    }

    init(_ bytes: [UInt8]) {
        page = word(bytes[0..<4])
        isCommit = word(bytes[4..<8]) != 0
        salts = bytes[8..<16]
        checksum = bytes[16..<24]
    }
}

/// A reader of frames through the file that SQLite has open.
private struct LogReader {
    let log: UnsafeMutablePointer<sqlite3_file>
    let pageBytes: Int
    /// The number of consecutive frames of an earlier WAL after which the search ends.
    private static let strangersMax = 64
    /// The number of frames that fit into the file.
    let count: Int

    /// Finds the transactions behind a break in the frames that follow `taken`, and the last frame of each page in them.
    func tail(after taken: Int) -> (LogTail, pages: [Int: Int])? {
        guard let header = bytes(log, LogFrame.headerBytes, at: 0) else { return nil }
        let isBigEndian = header[3] & 1 == 1
        let isSound = taken > 0 || sum(header[0..<24], from: [0, 0], isBigEndian) == words(header[24..<32])
        // The salts of the WAL. Where its header is corrupt, the first two frames that belong together supply them.
        var salts = isSound ? header[16..<24] : nil
        var isUnbroken = isSound
        var previous = LogFrame(salts: header[16..<24], checksum: header[24..<32])
        if taken > 0 {
            guard let last = frame(taken) else { return nil }
            previous = last
        }
        var tail = LogTail()
        var pages: [Int: Int] = [:]
        var open: [Int: Int] = [:]
        var strangers = 0
        for number in (taken + 1)...count {
            guard strangers < Self.strangersMax, let frame = frame(number) else { break }
            strangers = frame.salts == salts ? 0 : strangers + 1
            let follows =
                (salts ?? previous.salts) == frame.salts && carriesOn(number, frame, from: previous, isBigEndian)
            previous = frame
            guard follows else {
                isUnbroken = false
                open = [:]
                continue
            }
            salts = frame.salts
            // A frame without a break before it is not lost: it belongs to a commit that this connection does not see yet.
            if isUnbroken { continue }
            open[frame.page] = number
            guard frame.isCommit else { continue }
            pages.merge(open) { $1 }
            open = [:]
            tail = LogTail(transactions: tail.transactions + 1, name: Array(frame.salts + frame.checksum))
        }
        return tail.transactions > 0 ? (tail, pages) : nil
    }

    /// Whether SQLite shows each page with the content that these frames hold.
    func isCopiedBack(_ pages: [Int: Int], taken: Int, into file: UnsafeMutablePointer<sqlite3_file>) -> Bool {
        var shown: [Int: Int] = [:]
        for number in 1..<(taken + 1) {
            if let frame = frame(number) { shown[frame.page] = number }
        }
        return pages.allSatisfy { page, number in
            let now = shown[page].map { content($0) } ?? bytes(file, pageBytes, at: (page - 1) * pageBytes)
            return now == content(number)
        }
    }

    private func carriesOn(_ number: Int, _ frame: LogFrame, from previous: LogFrame, _ isBigEndian: Bool) -> Bool {
        guard frame.page > 0, let start = bytes(log, 8, at: place(number)), let content = content(number) else {
            return false
        }
        let before = sum(start[...], from: words(previous.checksum), isBigEndian)
        return sum(content[...], from: before, isBigEndian) == words(frame.checksum)
    }

    // MARK: Bytes

    private func place(_ number: Int) -> Int {
        LogFrame.headerBytes + (number - 1) * (LogFrame.ownBytes + pageBytes)
    }

    private func frame(_ number: Int) -> LogFrame? {
        bytes(log, LogFrame.ownBytes, at: place(number)).map { LogFrame($0) }
    }

    private func content(_ number: Int) -> [UInt8]? {
        bytes(log, pageBytes, at: place(number) + LogFrame.ownBytes)
    }

    private func bytes(_ file: UnsafeMutablePointer<sqlite3_file>, _ count: Int, at offset: Int) -> [UInt8]? {
        var isRead = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
            isRead = csqlite_file_read(file, buffer.baseAddress, Int32(count), Int64(offset)) != 0
            size = isRead ? count : 0
        }
        return isRead ? bytes : nil
    }

    private func sum(_ bytes: ArraySlice<UInt8>, from sums: [UInt32], _ isBigEndian: Bool) -> [UInt32] {
        var sums = sums
        bytes.withUnsafeBufferPointer { bytes in
            csqlite_log_checksum(bytes.baseAddress, Int64(bytes.count), isBigEndian ? 1 : 0, &sums)
        }
        return sums
    }

    private func words(_ bytes: ArraySlice<UInt8>) -> [UInt32] {
        [UInt32(word(bytes.prefix(4))), UInt32(word(bytes.suffix(4)))]
    }
}

private func word(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
