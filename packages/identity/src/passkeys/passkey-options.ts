/** The settings of passkeys, and the relying party that follows from them: what authenticators bind passkeys to. */
import { isIP } from "node:net";

import { origins, textLike, type Options, type ValuesOf } from "../platform/option-parsers.js";

export const PASSKEY_OPTIONS = {
  rpId: {
    name: "IDENTITY_PASSKEY_RP_ID",
    parser: textLike(
      /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/,
      "a host name in lower case, such as example.org",
    ),
    help: "domain that passkeys are bound to: that of all their origins, or one above; by default the host of the public URL. Another one makes all passkeys unusable",
  },
  origins: {
    name: "IDENTITY_PASSKEY_ORIGINS",
    parser: origins,
    help: "origins of pages that may ask for passkeys; by default that of the public URL",
    standard: "",
  },
} satisfies Options;

/** The relying party of WebAuthn. */
export interface RelyingParty {
  readonly id: string;
  readonly origins: readonly string[];
  /** Why browsers refuse passkeys for it; `undefined` if they don't. */
  readonly fault: string | undefined;
}

export function relyingPartyOf(settings: ValuesOf<typeof PASSKEY_OPTIONS>, publicUrl: string): RelyingParty {
  const { hostname, origin } = new URL(publicUrl);
  const id = settings.rpId ?? hostname;
  const allowed = settings.origins.length > 0 ? settings.origins : [origin];
  return { id, origins: allowed, fault: faultOf(id, allowed) };
}

function faultOf(id: string, allowed: readonly string[]): string | undefined {
  // An IPv6 address has brackets.
  if (isIP(id.replaceAll(/[[\]]/g, "")) !== 0)
    return `Passkeys need a host name: the service is at the address ${id}. Set IDENTITY_PUBLIC_URL to a name, or to http://localhost for a trial`;
  const outside = allowed.find((origin) => !isBelow(new URL(origin).hostname, id));
  if (outside !== undefined) return `${outside} is not within the domain ${id} of passkeys`;
  const insecure = allowed.find(
    (origin) => !origin.startsWith("https:") && !isLocal(new URL(origin).hostname),
  );
  return insecure === undefined ? undefined : `Passkeys need HTTPS, except at localhost: ${insecure}`;
}

function isBelow(hostname: string, id: string): boolean {
  return hostname === id || hostname.endsWith(`.${id}`);
}

function isLocal(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}
