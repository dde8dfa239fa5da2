/** Third-party SAML identity providers on this computer: /sso for browsers and /ecp for clients. */
import type { Signer } from "../../../test/federation/saml/test-provider.js";

/** The user of these providers. */
export const USER = { username: "alice", password: "secret" } as const;

export interface PartyOptions {
  readonly signer: Signer;
  /** Whether assertions are encrypted for the service. */
  readonly encrypt?: boolean;
  readonly signsResponse?: boolean;
  /** Whether its metadata is signed, by the same key, and names its end (pysaml2). */
  readonly signsMetadata?: boolean;
  /** Whether requests come by a form. */
  readonly post?: boolean;
  /** What browsers call it: `localhost` is another site than `127.0.0.1`. */
  readonly host?: "127.0.0.1" | "localhost";
}

export interface ProviderParty {
  readonly url: string;
  readonly entityId: string;
  readonly metadata: string;
  /** Has it let users go to a service. */
  trust(service: { readonly metadata: string; readonly entityId: string }): Promise<void>;
  close(): Promise<void>;
}
