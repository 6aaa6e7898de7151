/// The amounts of work in a run. The peers do as much.
extension Context {
    var pushCount: Int { amount(10_000, quick: 10_000) }
    var pushRounds: Int { amount(5, quick: 2) }
    var pullCount: Int { amount(100_000, quick: 20_000) }
    var pullRounds: Int { amount(3, quick: 2) }
    var changeRounds: Int { amount(20, quick: 5) }
    var liveWrites: Int { amount(200, quick: 60) }
    var devices: Int { 50 }
    var deviceSeconds: Int { amount(10, quick: 3) }
    var waitingDevices: Int { amount(500, quick: 200) }
    var fanOutRounds: Int { amount(20, quick: 5) }
    var applyCount: Int { amount(50_000, quick: 10_000) }
}
