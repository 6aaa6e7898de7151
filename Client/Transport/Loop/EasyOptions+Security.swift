internal import CCurl

extension EasyOptions {
    /// Restricts the handle: the server's scheme only, no redirects, no credentials or proxy from the environment,
    /// and verified TLS.
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
            // Otherwise libcurl would also trust the system's folder of certificates.
            set(CURLOPT_CAPATH, nil)
        }
        // An empty string, unlike `nil`, keeps libcurl from reading `http_proxy` and similar variables.
        set(CURLOPT_PROXY, configuration.proxy ?? "")
        set(CURLOPT_NOPROXY, "")
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    }
}
