/**
 * Checks a protocol with settings: its provider, as logins reach it, its mapping, and the settings themselves.
 *
 * Bounded in time and number, since the caller chooses where the requests go.
 */
import { setTimeout as delay } from "node:timers/promises";

import type {
  CheckProtocol,
  ProtocolFinding,
  ProtocolReport,
  ProtocolToCheck,
} from "../../identity-providers/protocols/protocol-report.js";
import type { PublicSettings } from "../../identity-providers/protocols/protocol-settings.js";
import { acceptsAccessTokens } from "../../identity-providers/protocols/workload-settings.js";
import type { Links } from "../../platform/http/links.js";
import { authUrlOf } from "../auth-url.js";
import { failed, passed, reasonOf, type Checks, type CheckResult } from "./check.js";
import { mappingChecks, type MappingChecksDeps } from "./mapping-checks.js";
import { openIdChecks, type OpenIdChecksDeps } from "./openid-checks.js";
import { saml2Checks, type Saml2ChecksDeps } from "./saml2-checks.js";

export interface ProtocolChecksDeps extends MappingChecksDeps, OpenIdChecksDeps, Saml2ChecksDeps {
  readonly links: Links;
  /** The service's SAML entity ID, where a protocol names no other. */
  readonly entityId: string;
  /** Whether the service accepts assertions from front ends. */
  readonly acceptsForwarded: boolean;
  /** For all checks of a protocol; the caller gets an answer within 5 s. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 4500;
/** Protocols checked at a time, by each process. */
const MAX_AT_ONCE = 4;

export function createProtocolChecks(deps: ProtocolChecksDeps): CheckProtocol {
  const { timeoutMs = TIMEOUT_MS } = deps;
  let running = 0;
  return async (protocol) => {
    const register = registrationOf(protocol, deps);
    if (running === MAX_AT_ONCE) return { checks: [BUSY], register };
    running += 1;
    const started = Object.entries({
      ...mappingChecks(protocol, deps),
      ...settingsChecks(protocol, deps),
    }).map(([check, run]) => ({ check, results: resultsOf(run) }));
    // Requests of unfinished checks end by their own timeout.
    const checks = await finishedBy(started, timeoutMs).finally(() => (running -= 1));
    return { checks, register };
  };
}

const BUSY: ProtocolFinding = {
  check: "checks",
  status: "failure",
  message: `not run, since ${MAX_AT_ONCE} protocols are being checked: send POST .../refresh in a few seconds`,
};

interface StartedCheck {
  readonly check: string;
  readonly results: Promise<readonly CheckResult[]>;
}

async function resultsOf(run: Checks[string]): Promise<readonly CheckResult[]> {
  try {
    return await run();
  } catch (error) {
    return [failed(reasonOf(error))];
  }
}

async function finishedBy(started: readonly StartedCheck[], timeoutMs: number): Promise<ProtocolFinding[]> {
  const end = new AbortController();
  const late = delay(timeoutMs, [failed(`not finished within ${timeoutMs} ms`)], { signal: end.signal });
  // Rejects when it is not needed any more.
  late.catch(() => undefined);
  const findings = await Promise.all(
    started.map(async ({ check, results }) =>
      (await Promise.race([results, late])).map(({ status, message }) => ({ check, status, message })),
    ),
  );
  end.abort();
  return findings.flat();
}

function settingsChecks(protocol: ProtocolToCheck, deps: ProtocolChecksDeps): Checks {
  const { settings } = protocol;
  if (settings.type === "openid") return openIdChecks(protocol, settings, deps);
  if (settings.type === "saml2") return saml2Checks(protocol, settings, deps);
  return { "front-end": async () => [deps.acceptsForwarded ? FRONT_END : NO_FRONT_END] };
}

const FRONT_END = passed("the service accepts assertions from a front end");
const NO_FRONT_END = failed(
  "the service accepts no assertions from front ends: set IDENTITY_FORWARDED_ASSERTION_SECRET and " +
    "IDENTITY_FORWARDED_ASSERTION_FROM",
);

function openIdRegistration(
  settings: Extract<PublicSettings, { readonly type: "openid" }>,
  url: string,
): ProtocolReport["register"] {
  // Workloads come without a browser.
  if (!acceptsAccessTokens(settings)) return {};
  if (settings.logout !== true) return { redirect_uri: url };
  const logoutUrl = url.replace(/auth$/, "logout");
  return { redirect_uri: url, backchannel_logout_uri: logoutUrl, post_logout_redirect_uri: logoutUrl };
}

function registrationOf(
  protocol: ProtocolToCheck,
  { links, entityId }: ProtocolChecksDeps,
): ProtocolReport["register"] {
  const url = authUrlOf(links, protocol);
  const { settings } = protocol;
  if (settings.type === "openid") return openIdRegistration(settings, url);
  if (settings.type === "forwarded") return {};
  return {
    entity_id: settings.sp_entity_id ?? entityId,
    acs_url: url,
    metadata_url: links.to("/v3/OS-FEDERATION/saml2/metadata"),
  };
}
