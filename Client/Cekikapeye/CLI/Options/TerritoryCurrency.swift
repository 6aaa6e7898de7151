/// The currency of each country, for a first guess that the program reports to the user.
enum TerritoryCurrency {
    static let codes: [String: String] = {
        var codes = own
        for territory in euro.split(separator: " ") { codes[String(territory)] = "EUR" }
        return codes
    }()

    private static let euro =
        "AD AT BE BG CY DE EE ES FI FR GF GP GR HR IE IT LT LU LV MC ME MQ MT NL PT RE SI SK SM VA XK YT"

    private static let own = [
        "AE": "AED", "AR": "ARS", "AU": "AUD", "BA": "BAM", "BJ": "XOF", "BR": "BRL", "CA": "CAD", "CH": "CHF",
        "CL": "CLP", "CM": "XAF", "CN": "CNY", "CO": "COP", "CZ": "CZK", "DK": "DKK", "DZ": "DZD", "EG": "EGP",
        "GB": "GBP", "HK": "HKD", "HU": "HUF", "ID": "IDR", "IL": "ILS", "IN": "INR", "IS": "ISK", "JP": "JPY",
        "KE": "KES", "KR": "KRW", "KW": "KWD", "LI": "CHF", "MA": "MAD", "MG": "MGA", "MK": "MKD", "MX": "MXN",
        "MY": "MYR", "NC": "XPF", "NG": "NGN", "NO": "NOK", "NZ": "NZD", "PF": "XPF", "PH": "PHP", "PL": "PLN",
        "RO": "RON", "RS": "RSD", "RU": "RUB", "SA": "SAR", "SE": "SEK", "SG": "SGD", "SN": "XOF", "TH": "THB",
        "TN": "TND", "TR": "TRY", "TW": "TWD", "UA": "UAH", "US": "USD", "VN": "VND", "ZA": "ZAR",
    ]
}
