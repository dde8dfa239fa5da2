/** The report on a protocol with settings, and the port of the checks that make it, which run when it is stored and by `hamkit-identity doctor`. */
import type { IdentityProvider } from "../identity-provider.js";
import type { OpenedSettings, PublicSettings } from "./protocol-settings.js";
import type { Protocol } from "./protocol-store.js";

export const CHECK_STATUSES = ["ok", "warning", "failure"] as const;

/** The result of a check. */
export interface ProtocolFinding {
  /** Such as `discovery`, `certificates`. A check may have several findings. */
  readonly check: string;
  /** With a warning, some logins fail or will fail; with a failure, all of them may. */
  readonly status: (typeof CHECK_STATUSES)[number];
  /** The value received, the value expected, and where to change it. */
  readonly message: string;
  /** What would mend or complete it. */
  readonly proposal?: FindingProposal;
}

/** A change that a check proposes. */
export interface FindingProposal {
  /** To be added to the provider's `remote_ids`. */
  readonly remote_id?: string;
  /** To be set in the protocol's settings. */
  readonly settings?: Record<string, unknown>;
}

export interface ProtocolReport {
  readonly checks: readonly ProtocolFinding[];
  /** What to register at the provider, such as `redirect_uri`. */
  readonly register: Readonly<Record<string, string>>;
  /** Whether too many other protocols were being checked. */
  readonly isRefused?: boolean;
}

/** A protocol, stored or about to be stored. */
export interface ProtocolToCheck extends Pick<Protocol, "idpId" | "id" | "mappingId"> {
  readonly provider: IdentityProvider;
  readonly settings: PublicSettings;
  /** The settings with their secrets. @throws A secret can't be unsealed. */
  readonly open: () => Promise<OpenedSettings>;
}

/** Never throws: what can't be checked is a finding too. */
export type CheckProtocol = (protocol: ProtocolToCheck) => Promise<ProtocolReport>;
