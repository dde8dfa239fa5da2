/** Settings of Vault or OpenBao, whose transit engine may wrap the master key. */
import {
  httpUrl,
  oneOf,
  text,
  textLike,
  type OptionParser,
  type Options,
  type ValuesOf,
} from "../../../option-parsers.js";
import { WRAPPING_KEY_NAME } from "../key-wrapper.js";

const FILE = "the path of a file";
/** Mounts may have slashes within. */
const mount = textLike(/^[\w.-]+(\/[\w.-]+)*$/, "a path without slashes at its ends, such as transit");

/** Over plain HTTP the master key would be readable on the network; an agent of Vault may listen on this machine. */
const vaultUrl: OptionParser<string> = {
  expected:
    "a URL that begins with https://, or with http:// on this machine (127.0.0.1, ::1 or localhost), without user, query and fragment",
  parse(given) {
    const url = httpUrl.parse(given);
    if (url === undefined || url.startsWith("https:")) return url;
    return /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(new URL(url).hostname) ? url : undefined;
  },
};

export const VAULT_OPTIONS = {
  url: {
    name: "IDENTITY_VAULT_URL",
    parser: vaultUrl,
    help: "address of Vault or OpenBao, such as https://vault.example.org:8200",
  },
  caFile: {
    name: "IDENTITY_VAULT_CA_FILE",
    parser: text(FILE),
    help: "certificate authorities of Vault in PEM; by default the public ones",
  },
  namespace: {
    name: "IDENTITY_VAULT_NAMESPACE",
    parser: textLike(/^[\w./-]+$/, "a namespace"),
    help: "Vault's namespace",
  },
  transitPath: {
    name: "IDENTITY_VAULT_TRANSIT_PATH",
    parser: mount,
    help: "path of Vault's transit engine",
    standard: "transit",
  },
  key: {
    name: "IDENTITY_VAULT_KEY",
    parser: textLike(WRAPPING_KEY_NAME, "the name of a key: letters, digits, _, . and -"),
    help: "name of the transit key that wraps new master keys",
    standard: "hamkit-identity",
  },
  auth: {
    name: "IDENTITY_VAULT_AUTH",
    parser: oneOf("token", "approle", "kubernetes"),
    help: "how the service logs in to Vault: token, approle or kubernetes",
    standard: "token",
  },
  authPath: {
    name: "IDENTITY_VAULT_AUTH_PATH",
    parser: mount,
    help: "path of that login method; by default its name",
  },
  tokenFile: {
    name: "IDENTITY_VAULT_TOKEN_FILE",
    parser: text(FILE),
    help: "file of the token, for token: read again at each use",
  },
  role: {
    name: "IDENTITY_VAULT_ROLE",
    parser: textLike(/^\S+$/, "a role"),
    help: "role ID for approle, role for kubernetes",
  },
  secretIdFile: {
    name: "IDENTITY_VAULT_SECRET_ID_FILE",
    parser: text(FILE),
    help: "file of the secret ID, for approle: read at each login",
  },
  jwtFile: {
    name: "IDENTITY_VAULT_JWT_FILE",
    parser: text(FILE),
    help: "file of the service account's token, for kubernetes: read at each login",
    standard: "/var/run/secrets/kubernetes.io/serviceaccount/token",
  },
} satisfies Options;

export type VaultSettings = ValuesOf<typeof VAULT_OPTIONS>;

/** What else a login method needs. @returns The setting that is missing, and why. */
export function faultOfVault({ url, auth, tokenFile, role, secretIdFile }: VaultSettings) {
  if (url === undefined) return undefined;
  const missing = [
    ...(auth === "token" && tokenFile === undefined ? [VAULT_OPTIONS.tokenFile] : []),
    ...(auth !== "token" && role === undefined ? [VAULT_OPTIONS.role] : []),
    ...(auth === "approle" && secretIdFile === undefined ? [VAULT_OPTIONS.secretIdFile] : []),
  ][0];
  if (missing === undefined) return undefined;
  return { option: missing.name, fault: `is missing: ${VAULT_OPTIONS.auth.name} is "${auth}"` };
}
