internal import CCurl

extension EasyOptions {
    /// Only the server's own scheme, no redirect, no credentials or proxy from the surroundings, TLS verified.
    mutating func setSecurity(_ server: ServerAddress, _ configuration: TransportConfiguration) {
        set(CURLOPT_PROTOCOLS_STR, server.scheme.rawValue)
        set(CURLOPT_REDIR_PROTOCOLS_STR, server.scheme.rawValue)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        set(CURLOPT_UNRESTRICTED_AUTH, 0)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let file = configuration.authoritiesFile {
            set(CURLOPT_CAINFO, file)
            // libcurl would go on trusting the system's folder beside the file.
            set(CURLOPT_CAPATH, nil)
        }
        // An empty text, unlike none, keeps libcurl from reading http_proxy and the like.
        set(CURLOPT_PROXY, configuration.proxy ?? "")
        set(CURLOPT_NOPROXY, "")
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    }
}
