/** The settings of the HTTP server: addresses, processes, certificates, proxies, sizes. */
import { httpUrl, origins, text, wholeNumber, type Options } from "../option-parsers.js";
import { addressList } from "../trusted-proxies.js";

export const SERVER_OPTIONS = {
  host: {
    name: "IDENTITY_HOST",
    parser: text("an address or host name to listen on"),
    help: "address to listen on",
    standard: "127.0.0.1",
  },
  port: {
    name: "IDENTITY_PORT",
    parser: wholeNumber({ from: 0, to: 65_535 }),
    help: "port to listen on; 0 for any free port",
    standard: "5000",
  },
  /** Without trailing slash. */
  publicUrl: {
    name: "IDENTITY_PUBLIC_URL",
    parser: httpUrl,
    help: "base URL for clients, used in links; by default the listening address",
  },
  workers: {
    name: "IDENTITY_WORKERS",
    parser: wholeNumber({ from: 1, to: 256 }),
    help: "number of worker processes",
    standard: "1",
  },
  shutdownDelaySeconds: {
    name: "IDENTITY_SHUTDOWN_DELAY",
    parser: wholeNumber({ from: 0, to: 3600 }),
    help: "seconds to keep listening after SIGTERM, with /readyz at 503; longer than a load balancer's check interval",
    standard: "5",
  },
  tlsCertFile: {
    name: "IDENTITY_TLS_CERT_FILE",
    parser: text("the path of a file"),
    help: "certificate chain in PEM; with its key, the service uses HTTPS",
  },
  tlsKeyFile: {
    name: "IDENTITY_TLS_KEY_FILE",
    parser: text("the path of a file"),
    help: "the key of the certificate, in PEM",
  },
  isTrustedProxy: {
    name: "IDENTITY_TRUSTED_PROXIES",
    parser: addressList,
    help: "addresses and networks of proxies whose X-Forwarded-For is trusted",
    standard: "",
  },
  corsOrigins: {
    name: "IDENTITY_CORS_ORIGINS",
    parser: origins,
    help: "allowed CORS origins, such as https://console.example.org",
    standard: "",
  },
  bodyLimit: {
    name: "IDENTITY_BODY_LIMIT",
    parser: wholeNumber({ from: 1024, to: 1 << 30 }),
    help: "maximum bytes of a request body",
    standard: "114688",
  },
  defaultPageSize: {
    name: "IDENTITY_LIST_LIMIT",
    parser: wholeNumber({ from: 1, to: 1_000_000 }),
    help: "default page size of lists; by default all items",
  },
} satisfies Options;
