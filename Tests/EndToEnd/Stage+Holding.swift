import Foundation
import TestProcesses
import Testing

extension Stage {
    /// Starts another program that holds a transaction on a file open.
    func hold(_ file: String, _ statement: String) throws -> RunningProgram {
        let script = """
            import sqlite3, sys, time
            connection = sqlite3.connect(sys.argv[1], isolation_level=None)
            for statement in sys.argv[2].split(";"): connection.execute(statement).fetchall()
            print("ready", flush=True)
            time.sleep(120)
            """
        let holder = try RunningProgram(
            "python3", ["-c", script, file, statement], log: folder.appending(path: "\(UUID().uuidString).log"))
        let isReady = try eventually { holder.log.contains("ready") }
        #expect(isReady, "\(holder.log)")
        return holder
    }
}
