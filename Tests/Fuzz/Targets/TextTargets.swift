import CekikapeyeRules
import RoostModel
import Transport

/// JSON, as in bodies, schemas and `json` attributes.
struct JSONTarget: FuzzTarget {
    let samples = [
        #"{"a":[1,-2.5e3,true,null,"x\u00e9\n"],"b":{"c":"\ud83d\ude00"}}"#, #"[[[[[[1]]]]]]"#, #""text""#, "0",
        #"{"amount":"9007199254740993","name":"Zoë","list":[{},[],""]}"#,
    ].map { Array($0.utf8) }

    func play(_ input: [UInt8]) throws -> String {
        let fault = input.withUnsafeBytes { JSONText.fault(in: $0) }
        let value: JSONValue
        do { value = try JSONParser.parse(input) } catch {
            // Lone surrogates and duplicate names follow the grammar, but the parser refuses them.
            let isStricter = ["surrogate", "is there"].contains { "\(error)".utf8.firstRange(of: $0.utf8) != nil }
            guard fault != nil || isStricter else {
                throw FuzzFailure("the parser refuses what the check of text takes: \(error)")
            }
            return Self.kind(of: error)
        }
        guard fault == nil else {
            throw FuzzFailure("the check of text refuses what the parser takes: \(fault?.reason ?? "")")
        }
        let again = try? JSONParser.parse(value.encoded)
        guard again?.encoded == value.encoded else { throw FuzzFailure("what was written reads otherwise") }
        return "taken"
    }
}

/// The CSV of Splitwise.
struct CSVTarget: FuzzTarget {
    let samples = [
        """
        Date,Description,Category,Cost,Currency,ana,Dora

        2026-07-01,Pizza,Dining out,20.00,EUR,10.00,-10.00
        2026-07-02,"Taxi, late",Taxi,9.00,EUR,-4.50,4.50
        2026-07-03,Dora paid Ana,Payment,5.50,EUR,-5.50,5.50

        2026-07-04,Total balance, , ,EUR,0.00,0.00
        """, "Datum;Beschreibung;Kategorie;Kosten;Währung;Eva;Uwe\r\n2026-01-02;Käse;;1.234,50;EUR;617,25;-617,25\r\n",
    ].map { Array($0.utf8) }

    func play(_ input: [UInt8]) throws -> String {
        let plan: ImportPlan
        do { plan = try SplitwiseImporter.plan(for: input) } catch { return Self.kind(of: error) }
        for expense in plan.expenses where expense.effects.reduce(0, +) != 0 {
            throw FuzzFailure("the row of line \(expense.line) does not add up to 0")
        }
        guard try SplitwiseImporter.plan(for: input).expenses == plan.expenses else {
            throw FuzzFailure("two readings differ")
        }
        return "\(plan.problems.count.signum()) \(plan.expenses.count.signum()) \(plan.notes.count.signum())"
    }
}

/// Invite links and addresses of servers.
struct LinkTarget: FuzzTarget {
    let samples = [
        "https://roost.example.org/join#abcDEF-_123", "http://127.0.0.1:8787/join#x", "http://[::1]:80/join#t",
        "https://a.b:65535",
    ].map { Array($0.utf8) }

    func play(_ input: [UInt8]) throws -> String {
        let text = String(decoding: input, as: UTF8.self)
        do {
            let link = try InviteLink(text)
            guard try InviteLink(link.link) == link else {
                throw FuzzFailure("a link that was written reads otherwise")
            }
            guard link.link.unicodeScalars.allSatisfy({ $0.value > 32 && $0.value < 127 }) else {
                throw FuzzFailure("a link has a character that is not printable ASCII")
            }
            return "link"
        } catch let error as AddressError { return Self.kind(of: error) }
    }
}
