/** TLS and channel binding of connections to PostgreSQL, as the parameters of a connection URI set them. */
import { readFile } from "node:fs/promises";
import type { ConnectionOptions } from "node:tls";

import { messageOf } from "../../../errors.js";
import { DatabaseUnavailable } from "../../database-errors.js";

const MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
const BINDINGS = ["disable", "prefer", "require"] as const;
const VERSIONS = ["TLSv1.2", "TLSv1.3"] as const;

/**
 * How much of TLS is required, as in libpq: `prefer` encrypts if the server can, `require` always, `verify-ca` verifies the server's
 * certificate too, and `verify-full` also its host name.
 */
export type TlsMode = (typeof MODES)[number];

/** What the parameters of a connection URI say about TLS. Files are read at each connection, so that renewed ones are used. */
export interface PostgresTls {
  readonly mode: TlsMode;
  /** File of certificate authorities in PEM; `undefined` for those that come with Node. */
  readonly rootCertFile: string | undefined;
  /** The client's certificate and its key, in PEM. */
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly keyPassword: string | undefined;
  /** Revoked certificates, in PEM. */
  readonly crlFile: string | undefined;
  readonly minVersion: (typeof VERSIONS)[number];
  /** Whether SCRAM proves that both ends see the same server certificate. */
  readonly channelBinding: (typeof BINDINGS)[number];
}

/** Parameters of libpq that would be ignored, although they restrict connections. */
const UNSUPPORTED = ["sslcrldir", "ssl_max_protocol_version", "requirepeer", "require_auth"];

/**
 * Takes the parameters of TLS out of a connection URI.
 *
 * Without `sslmode` it is `verify-full` if a certificate file is named, otherwise `disable`: unlike libpq's `prefer`, neither
 * depends on the server. `require` with a root certificate verifies like `verify-ca`, as in libpq.
 *
 * @param take Removes a parameter from the URI, and returns its decoded value.
 * @throws {TypeError} A value is unknown, or two contradict each other.
 */
export function takeTls(take: (name: string) => string | undefined): PostgresTls {
  const rejected = UNSUPPORTED.find((name) => take(name) !== undefined);
  if (rejected !== undefined) throw new TypeError(`${rejected} is not supported`);
  const given = {
    mode: take("sslmode"),
    ssl: take("ssl"),
    root: take("sslrootcert"),
    cert: take("sslcert"),
    key: take("sslkey"),
    password: take("sslpassword"),
    crl: take("sslcrl"),
    version: take("ssl_min_protocol_version"),
    binding: take("channel_binding"),
  };
  const mode = checkedMode(given.mode ?? (given.ssl === "true" ? "require" : undefined), given);
  const channelBinding = oneOf("channel_binding", BINDINGS, given.binding ?? "prefer");
  if (channelBinding === "require" && (mode === "disable" || mode === "prefer"))
    throw new TypeError(`channel_binding=require needs TLS: sslmode is ${mode}`);
  if ((given.cert === undefined) !== (given.key === undefined))
    throw new TypeError("sslcert and sslkey must be set together");
  return {
    mode: mode === "require" && given.root !== undefined ? "verify-ca" : mode,
    rootCertFile: given.root === "system" ? undefined : given.root,
    certFile: given.cert,
    keyFile: given.key,
    keyPassword: given.password,
    crlFile: given.crl,
    minVersion: oneOf("ssl_min_protocol_version", VERSIONS, given.version ?? "TLSv1.2"),
    channelBinding,
  };
}

interface GivenFiles {
  readonly root: string | undefined;
  readonly cert: string | undefined;
}

function checkedMode(given: string | undefined, { root, cert }: GivenFiles): TlsMode {
  const standard = (root ?? cert) === undefined ? "disable" : "verify-full";
  const mode = oneOf("sslmode", MODES, given ?? standard);
  if (mode === "verify-ca" && (root === undefined || root === "system"))
    throw new TypeError("sslmode=verify-ca needs the file of its authority in sslrootcert");
  // A certificate of any public authority would do, whatever its name.
  if (root === "system" && mode !== "verify-full")
    throw new TypeError(`sslrootcert=system needs sslmode=verify-full: sslmode is ${mode}`);
  return mode;
}

function oneOf<Word extends string>(name: string, words: readonly Word[], given: string): Word {
  const word = words.find((known) => known === given);
  if (word === undefined) throw new TypeError(`${name} is not one of ${words.join(", ")}`);
  return word;
}

/** Settings of `pg.Client`. */
export interface TlsConfig {
  readonly ssl: false | ConnectionOptions;
  readonly enableChannelBinding: boolean;
}

export const PLAIN: TlsConfig = { ssl: false, enableChannelBinding: false };

/** Reads the files. @throws {DatabaseUnavailable} One can't be read; the cause names its parameter. */
export async function readTlsConfig(tls: PostgresTls): Promise<TlsConfig> {
  if (tls.mode === "disable") return PLAIN;
  const verifies = tls.mode === "verify-ca" || tls.mode === "verify-full";
  const [ca, cert, key, crl] = await Promise.all([
    readPem("sslrootcert", tls.rootCertFile),
    readPem("sslcert", tls.certFile),
    readPem("sslkey", tls.keyFile),
    readPem("sslcrl", tls.crlFile),
  ]);
  return {
    ssl: {
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(crl !== undefined && { crl }),
      ...(tls.keyPassword !== undefined && { passphrase: tls.keyPassword }),
      minVersion: tls.minVersion,
      rejectUnauthorized: verifies,
      ...(tls.mode === "verify-ca" && { checkServerIdentity: () => undefined }),
    },
    enableChannelBinding: tls.channelBinding !== "disable",
  };
}

async function readPem(name: string, path: string | undefined): Promise<Buffer | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path);
  } catch (error) {
    throw new DatabaseUnavailable({ cause: new Error(`${name}: ${messageOf(error)}`) });
  }
}
