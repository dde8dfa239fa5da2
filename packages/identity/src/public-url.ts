/** The public base URL of the service, by default the listening address. */
import { ConfigError, type Config } from "./config.js";

/**
 * @returns A URL without trailing slash.
 * @throws {ConfigError} The port is not known.
 */
export function publicUrlOf({ publicUrl, host, port, tlsCertFile }: Config["server"]): string {
  if (publicUrl !== undefined) return publicUrl;
  if (port === 0) throw new ConfigError("IDENTITY_PUBLIC_URL", "is required with IDENTITY_PORT 0");
  return `${tlsCertFile === undefined ? "http" : "https"}://${reachableHost(host)}:${port}`;
}

/** A wildcard address is reachable at the loopback address at least. */
function reachableHost(host: string): string {
  return host === "0.0.0.0" || host === "::" ? "127.0.0.1" : urlHost(host);
}

/** A host as in URLs. */
export function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
