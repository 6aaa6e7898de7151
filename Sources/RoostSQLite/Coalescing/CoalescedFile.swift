internal import GRDBSQLite

/// A file that SQLite has open through ``CoalescingVFS``. It is stored in memory that SQLite allocates, which begins with
/// the file's methods.
struct CoalescedFile {
    private typealias Pointer = UnsafeMutablePointer<CoalescedFile>
    private typealias File = UnsafeMutablePointer<sqlite3_file>

    private var base = sqlite3_file()
    /// The file as the default file system has it open.
    private var inner: File
    /// The log of a database while that log is open, or the database of a log.
    private var partner: Pointer?
    /// The bytes held back of a log. Unused for other files.
    private var run = LogRun()

    private init(inner: File) { self.inner = inner }

    // MARK: Opening and closing

    static func open(
        _ name: sqlite3_filename?, in memory: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?, by real: UnsafeMutablePointer<sqlite3_vfs>
    ) -> Int32 {
        memory.pointee.pMethods = nil
        let room = UnsafeMutableRawPointer.allocate(byteCount: Int(real.pointee.szOsFile), alignment: 16)
        room.initializeMemory(as: UInt8.self, repeating: 0, count: Int(real.pointee.szOsFile))
        let inner = room.assumingMemoryBound(to: sqlite3_file.self)
        let code = real.pointee.xOpen(real, name, inner, flags, outFlags)
        guard code == SQLITE_OK else {
            if let methods = inner.pointee.pMethods { _ = methods.pointee.xClose(inner) }
            room.deallocate()
            return code
        }
        let file = UnsafeMutableRawPointer(memory).assumingMemoryBound(to: CoalescedFile.self)
        file.initialize(to: CoalescedFile(inner: inner))
        file.pointee.base.pMethods = UnsafePointer(flags & SQLITE_OPEN_WAL == 0 ? plainMethods : logMethods)
        if flags & SQLITE_OPEN_WAL != 0, let name, let database = sqlite3_database_file_object(name),
            database.pointee.pMethods == UnsafePointer(plainMethods)
        {
            let database = UnsafeMutableRawPointer(database).assumingMemoryBound(to: CoalescedFile.self)
            database.pointee.partner = file
            file.pointee.partner = database
            file.pointee.run.mayHold = true
        }
        return SQLITE_OK
    }

    private static func close(_ file: Pointer) -> Int32 {
        let inner = file.pointee.inner
        let code = inner.pointee.pMethods.pointee.xClose(inner)
        file.pointee.run.free()
        file.pointee.partner?.pointee.partner = nil
        UnsafeMutableRawPointer(inner).deallocate()
        file.pointee.base.pMethods = nil
        return code
    }

    // MARK: Methods

    /// The methods of every file but a log. Bytes held back of its log are written before its locks change, and before
    /// other connections can see the written frames.
    private nonisolated(unsafe) static let plainMethods: UnsafeMutablePointer<sqlite3_io_methods> = {
        var methods = passingOn
        methods.iVersion = 2
        methods.xShmMap = { file, region, bytes, extends, out in
            real(file) { $1.xShmMap?($0, region, bytes, extends, out) ?? SQLITE_IOERR }
        }
        methods.xShmLock = { file, offset, count, flags in
            flushLog(of: file)
            // The first of the locks is the one to write (sqlite.org/walformat.html).
            if offset == 0, flags & SQLITE_SHM_UNLOCK != 0 {
                this(file).pointee.partner?.pointee.run.endTransaction()
            }
            return real(file) { $1.xShmLock($0, offset, count, flags) }
        }
        methods.xShmBarrier = { file in
            flushLog(of: file)
            _ = real(file) {
                $1.xShmBarrier($0)
                return SQLITE_OK
            }
        }
        methods.xShmUnmap = { file, deletes in
            flushLog(of: file)
            return real(file) { $1.xShmUnmap($0, deletes) }
        }
        return kept(methods)
    }()

    /// The methods of a log. Bytes held back are written before any other operation on the log.
    private nonisolated(unsafe) static let logMethods: UnsafeMutablePointer<sqlite3_io_methods> = {
        var methods = passingOn
        methods.xClose = { file in
            let code = flushed(file) { _, _ in SQLITE_OK }
            let closed = close(this(file))
            return code == SQLITE_OK ? closed : code
        }
        methods.xRead = { file, out, amount, offset in
            let inner = this(file).pointee.inner
            return this(file).pointee.run.read(out, amount, at: offset, from: inner)
        }
        methods.xWrite = { file, bytes, amount, offset in
            guard let bytes else { return SQLITE_MISUSE }
            let inner = this(file).pointee.inner
            return this(file).pointee.run.write(bytes, Int(amount), at: offset, to: inner)
        }
        methods.xTruncate = { file, size in flushed(file) { $1.xTruncate($0, size) } }
        methods.xSync = { file, flags in flushed(file) { $1.xSync($0, flags) } }
        methods.xFileSize = { file, size in flushed(file) { $1.xFileSize($0, size) } }
        methods.xFileControl = { file, operation, argument in
            flushed(file) { $1.xFileControl($0, operation, argument) }
        }
        return kept(methods)
    }()

    private static let passingOn: sqlite3_io_methods = {
        var methods = sqlite3_io_methods()
        methods.iVersion = 1
        methods.xClose = { close(this($0)) }
        methods.xRead = { file, out, amount, offset in real(file) { $1.xRead($0, out, amount, offset) } }
        methods.xWrite = { file, bytes, amount, offset in real(file) { $1.xWrite($0, bytes, amount, offset) } }
        methods.xTruncate = { file, size in real(file) { $1.xTruncate($0, size) } }
        methods.xSync = { file, flags in real(file) { $1.xSync($0, flags) } }
        methods.xFileSize = { file, size in real(file) { $1.xFileSize($0, size) } }
        methods.xLock = { file, level in real(file) { $1.xLock($0, level) } }
        methods.xUnlock = { file, level in real(file) { $1.xUnlock($0, level) } }
        methods.xCheckReservedLock = { file, out in real(file) { $1.xCheckReservedLock($0, out) } }
        methods.xFileControl = { file, operation, argument in real(file) { $1.xFileControl($0, operation, argument) } }
        methods.xSectorSize = { file in real(file) { $1.xSectorSize($0) } }
        methods.xDeviceCharacteristics = { file in real(file) { $1.xDeviceCharacteristics($0) } }
        return methods
    }()

    /// Returns a copy at a permanent address: SQLite keeps the address that it is given.
    private static func kept(_ methods: sqlite3_io_methods) -> UnsafeMutablePointer<sqlite3_io_methods> {
        let place = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        place.initialize(to: methods)
        return place
    }

    // MARK: Reaching the file behind

    /// Returns the file that SQLite passed to a method. SQLite always passes the file that it has opened.
    private static func this(_ file: File?) -> Pointer {
        guard let file else { preconditionFailure("SQLite called a method of no file") }
        return UnsafeMutableRawPointer(file).assumingMemoryBound(to: CoalescedFile.self)
    }

    @inline(__always)
    private static func real(_ file: File?, _ call: (File, sqlite3_io_methods) -> Int32) -> Int32 {
        let inner = this(file).pointee.inner
        return call(inner, inner.pointee.pMethods.pointee)
    }

    @inline(__always)
    private static func flushed(_ file: File?, _ call: (File, sqlite3_io_methods) -> Int32) -> Int32 {
        let inner = this(file).pointee.inner
        let code = this(file).pointee.run.flush(to: inner)
        return code == SQLITE_OK ? call(inner, inner.pointee.pMethods.pointee) : code
    }

    private static func flushLog(of file: File?) {
        guard let log = this(file).pointee.partner else { return }
        // The run keeps an error, and the next write of this transaction reports it.
        _ = log.pointee.run.flush(to: log.pointee.inner)
    }
}
