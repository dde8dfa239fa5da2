/**
 * Checks a protocol with settings: its provider, as logins reach it, its mapping, and the settings themselves.
 *
 * Bounded in time and number, since the caller chooses where the requests go.
 */
import { setTimeout as delay } from "node:timers/promises";

import type { CheckProtocol, ProtocolFinding } from "../../identity-providers/protocols/protocol-report.js";
import { authUrlOf } from "../assertion-verifier.js";
import type { CheckDeps, ProtocolTypes } from "../protocols/protocol-type.js";
import { failed, reasonOf, type Checks, type CheckResult } from "./check.js";
import { mappingChecks, type MappingChecksDeps } from "./mapping-checks.js";

export interface ProtocolChecksDeps extends MappingChecksDeps, CheckDeps {
  readonly types: Pick<ProtocolTypes, "find">;
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
    const type = deps.types.find(protocol.settings);
    const register = type?.register(protocol.settings, authUrlOf(deps.links, protocol), deps) ?? {};
    if (running === MAX_AT_ONCE) return { checks: [BUSY], register, isRefused: true };
    running += 1;
    const started = Object.entries({
      ...mappingChecks({ ...protocol, hasOwnUserIds: type?.hasOwnUserIds?.(protocol.settings) }, deps),
      ...type?.checks(protocol, protocol.settings, deps),
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
      (await Promise.race([results, late])).map((result) => Object.assign({ check }, result)),
    ),
  );
  end.abort();
  return findings.flat();
}
