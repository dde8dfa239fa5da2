/** The settings of federated logins of all protocols. */
import { onOrOff, text, textLike, webAddresses, type Options } from "../platform/option-parsers.js";
import { addressList } from "../platform/trusted-proxies.js";

export const FEDERATION_OPTIONS = {
  remoteIdAttribute: {
    name: "IDENTITY_REMOTE_ID_ATTRIBUTE",
    parser: text("the name of an attribute"),
    help: "attribute with the remote id of the identity provider, such as MELLON_IDP; a protocol may name another",
  },
  trustedDashboards: {
    name: "IDENTITY_TRUSTED_DASHBOARDS",
    parser: webAddresses,
    help: "dashboard URLs that may receive a token by WebSSO; compared exactly",
    standard: "",
  },
  isProviderNetwork: {
    name: "IDENTITY_PROVIDER_NETWORKS",
    parser: addressList,
    help: "private networks in which identity providers may be, such as 10.20.0.0/16; by default public addresses only",
    standard: "",
  },
  allowsHttpIssuers: {
    name: "IDENTITY_ALLOW_HTTP_ISSUERS",
    parser: onOrOff,
    help: "allow identity providers on loopback addresses and over HTTP, for development: on or off",
    standard: "off",
  },
  recordsLogins: {
    name: "IDENTITY_LOGIN_RECORDING",
    parser: onOrOff,
    help: "allow protocols to record attributes of their logins, for the replay of mapping rules: on or off; off deletes what was recorded",
    standard: "off",
  },
  forwardedAssertionHeader: {
    name: "IDENTITY_FORWARDED_ASSERTION_HEADER",
    parser: textLike(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "the name of a header"),
    help: "header with the assertion that a front end forwards, as JSON in base64",
  },
  forwardedAssertionSecret: {
    name: "IDENTITY_FORWARDED_ASSERTION_SECRET",
    parser: textLike(/^[\x21-\x7e]{16,}$/, "a secret of at least 16 printable ASCII characters"),
    help: "secret of the front end, sent in X-Forwarded-Assertion-Secret; without it forwarded assertions are rejected",
    isSecret: true,
  },
  /** Secret and address are both required. */
  isAssertionForwarder: {
    name: "IDENTITY_FORWARDED_ASSERTION_FROM",
    parser: addressList,
    help: "addresses and networks that front ends connect from",
  },
} satisfies Options;
