/**
 * Watches the policy files, and applies them when they have changed.
 *
 * Files are read once a second, outside of requests, and applied when two readings agree: a file may be in the middle of being
 * written. Files that are refused or can't be read change nothing but the report: the policy that was read before stays in force.
 */
import type { FastifyBaseLogger } from "fastify";
import { Gauge, type Registry } from "prom-client";

import { messageOf } from "../platform/errors.js";
import type { HeldPolicy } from "./held-policy.js";
import { accessDifferences } from "./opened-access.js";
import { policyOf, readTexts, PolicyRefusedError, type PolicySettings } from "./load-policy.js";
import type { PolicyInForce } from "./policy-in-force.js";
import type { PolicyText } from "./rules/policy-files.js";

const WATCHING_MS = 1000;

export interface PolicyWatchDeps {
  readonly settings: PolicySettings;
  readonly policy: HeldPolicy;
  /** The texts in force. */
  readonly texts: readonly PolicyText[];
  readonly log: Pick<FastifyBaseLogger, "info" | "warn" | "error">;
  readonly registry: Registry;
}

export interface PolicyWatch {
  /** For `/readyz`. */
  impairments(): readonly string[];
  /** Reads the files, and applies them if the last reading had the same. */
  look(): void;
  start(): void;
  stop(): void;
}

export function watchPolicy({ settings, policy, texts, log, registry }: PolicyWatchDeps): PolicyWatch {
  const hasFiles = settings.file !== undefined || settings.folders.length > 0;
  let inForce = JSON.stringify(texts);
  let lastRead = inForce;
  /** What was refused or could not be read, so that it is reported once. */
  let refused: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  // oxlint-disable-next-line no-new
  new Gauge({
    name: "policy_files_refused",
    help: "Whether this process goes on with a former policy because its files are refused: 1 for each such process.",
    registers: [registry],
    collect() {
      this.set(Number(refused !== undefined));
    },
  });

  /** A description of the files, equal if they are; and what they mean. */
  function read(): { readonly found: string; readonly use: () => PolicyInForce } {
    try {
      const current = readTexts(settings);
      return { found: JSON.stringify(current), use: () => policyOf(current, settings) };
    } catch (error) {
      return {
        found: messageOf(error),
        use() {
          throw error;
        },
      };
    }
  }

  function look(): void {
    const { found, use } = read();
    const isSettled = found === lastRead;
    lastRead = found;
    if (!isSettled || found === refused) return;
    if (found === inForce) {
      if (refused !== undefined) log.info("policy files are those in force again");
      refused = undefined;
      return;
    }
    try {
      policy.replace(use());
    } catch (error) {
      refused = found;
      const problems = error instanceof PolicyRefusedError ? error.problems : undefined;
      log.error({ err: error, problems }, "policy files refused: the former policy stays in force");
      return;
    }
    refused = undefined;
    inForce = found;
    reportPolicy(policy.current, log);
  }

  return {
    impairments: () =>
      refused === undefined
        ? []
        : [
            "The policy files are refused: the former policy stays in force, and a restart would fail. The log has file, line and rule.",
          ],
    look,
    start() {
      if (!hasFiles) return;
      timer = setInterval(look, WATCHING_MS);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}

/** Logs what applies. */
export function reportPolicy(policy: PolicyInForce, log: PolicyWatchDeps["log"]): void {
  const { written, affected } = policy;
  const files = [...new Set([...written.values()].map(({ file }) => file))];
  log.info({ files, rules: written.size, actions: affected.size }, "policy files applied");
  for (const { action, opened, crossesDomains } of accessDifferences(policy))
    if (crossesDomains) log.warn({ action, opened }, "policy files open an action across domains");
}
