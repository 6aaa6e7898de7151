/// The project's own ISO 4217 table.
///
/// The table replaces CLDR and the system's formatter. Both hide the decimals of some currencies, and an exponent that
/// changes with a library would reinterpret every stored integer. Retired codes stay, since old expenses have them.
enum CurrencyTable {
    /// The month of the ISO 4217 list on which this table is based.
    static let version = "2026-01"

    /// The number of decimals of each code.
    static let exponents: [String: Int] = {
        var table: [String: Int] = [:]
        for (exponent, codes) in [0: noDecimals, 2: twoDecimals, 3: threeDecimals, 4: fourDecimals] {
            for code in words(codes) { table[code] = exponent }
        }
        for code in words(retiredWithTwoDecimals) { table[code] = 2 }
        for code in words(retiredWithoutDecimals) { table[code] = 0 }
        return table
    }()

    /// The codes that no country uses any more.
    static let retired = Set(words(retiredWithTwoDecimals) + words(retiredWithoutDecimals))

    /// The codes of ISO 4217 for metals, units of account or tests, which have no minor unit.
    static let withoutMinorUnit = Set(words("XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX"))

    private static let noDecimals = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
    private static let threeDecimals = "BHD IQD JOD KWD LYD OMR TND"
    private static let fourDecimals = "CLF UYW"
    private static let twoDecimals = """
        AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY \
        COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS \
        INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR \
        MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP \
        STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG
        """
    private static let retiredWithTwoDecimals = """
        ANG ATS AZM BGL BGN CSD CUC CYP DEM EEK FIM FRF GHC HRK IEP LTL LVL MRO MTL MZM NLG ROL SDD SIT SKK SLL SRG STD \
        TMM VEB VEF YUM ZMK ZWD ZWL ZWR
        """
    private static let retiredWithoutDecimals = "BEF BYR ESP GRD ITL LUF MGF PTE TPE TRL"

    private static func words(_ text: String) -> [String] {
        text.split(separator: " ").map(String.init)
    }
}
