import type { Config } from "../config.js";
import type { ForwardingSettings } from "../federation/forwarded-assertion.js";

/** Forwarded assertions require both a secret and addresses. */
export function forwardingSettings(config: Config): ForwardingSettings | undefined {
  const { forwardedAssertionSecret: secret, isAssertionForwarder: isForwarder } = config;
  if (secret === undefined || isForwarder === undefined) return undefined;
  const { forwardedAssertionHeader: header, remoteIdAttribute } = config;
  return { header, secret, isForwarder, remoteIdAttribute };
}
