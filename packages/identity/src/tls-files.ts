/** Reads the TLS certificate and key. */
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";

import { ConfigError, type Config } from "./config.js";

/** In PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/**
 * @returns `undefined` for plain HTTP.
 * @throws {ConfigError} A file can't be read or is invalid, or the key does not match the certificate.
 */
export function readTls({ tlsCertFile, tlsKeyFile }: Config): TlsFiles | undefined {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  const files = {
    cert: readPem("IDENTITY_TLS_CERT_FILE", tlsCertFile),
    key: readPem("IDENTITY_TLS_KEY_FILE", tlsKeyFile),
  };
  try {
    createSecureContext(files);
  } catch (cause) {
    throw new ConfigError(
      "IDENTITY_TLS_CERT_FILE",
      `"${tlsCertFile}" and "${tlsKeyFile}" are not a certificate and its key: ${(cause as Error).message}`,
    );
  }
  return files;
}

function readPem(option: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new ConfigError(option, `"${path}" can't be read: ${(cause as Error).message}`);
  }
}
