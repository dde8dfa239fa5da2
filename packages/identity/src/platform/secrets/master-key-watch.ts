/**
 * Watches which master key is in force, and takes it when the operator puts it into the file of the settings, or wrapped into the database.
 *
 * Once a second the file is read and the database asked, outside of requests. The key in use is replaced only by the one in force:
 * an empty, malformed or other file changes nothing but the report. The next key may wait in a file beside it ({@link STAGED}) or wrapped
 * in the database, which every process knows before the key comes into force: then no request fails.
 */
import type { FastifyBaseLogger } from "fastify";
import { Counter, Gauge, type Registry } from "prom-client";

import type { Database } from "../database/database.js";
import { messageOf } from "../errors.js";
import type { HeldMasterKey } from "./held-master-key.js";
import type { Clock } from "../clock.js";
import { keyIdInForce, NEW_KEY_REMEDY } from "./master-key-in-force.js";
import { loadMasterKey } from "./master-key.js";
import type { MasterKey } from "./sealing.js";
import type { KeySources } from "./sources/key-sources.js";
import type { WrappedKey } from "./sources/key-wrapper.js";
import { listWrappedKeys } from "./sources/wrapped-key-store.js";
import { watchWrappedKeys, type SourceState } from "./sources/wrapped-key-watch.js";

const WATCHING_MS = 1000;
/** The end of the name of the next key's file. */
const STAGED = ".next";
/** How often the service's secrets are unsealed anew, if anything has changed. */
const READING_MS = 30_000;

export interface MasterKeyWatchDeps {
  readonly database: Database;
  readonly masterKey: HeldMasterKey;
  readonly sources: KeySources;
  readonly clock: Clock;
  /** Unseals what all logins of a kind need, to keep it. */
  readonly readSecrets: () => Promise<void>;
  readonly log: Pick<FastifyBaseLogger, "info" | "warn">;
  readonly registry: Registry;
}

export interface MasterKeyState {
  /** The id of this process's key. */
  readonly own: string;
  /** `undefined` before the first look. */
  readonly inForce: string | undefined;
  readonly isFormer: boolean;
  /** Where the process takes the key in force from; `undefined` if its key is in a variable, or wrapped. */
  readonly file: string | undefined;
  readonly source: SourceState;
}

export interface MasterKeyWatch {
  state(): MasterKeyState;
  /** For `/readyz`: what this process can't do with its key. */
  impairments(): readonly string[];
  /** The ids of keys that unseal in this process: the current one, next and former ones. */
  keyIds(): readonly string[];
  /** Calls a function whenever a key is added. */
  onKey(listener: () => void): void;
  /** Looks at once. Never rejects. */
  look(): Promise<void>;
  /** Starts, after a first look. */
  start(): Promise<void>;
  stop(): void;
}

export function watchMasterKey(deps: MasterKeyWatchDeps): MasterKeyWatch {
  const { database, masterKey, log } = deps;
  const { plain } = deps.sources;
  const refused = createRefusals(deps);
  const wrapped = watchWrappedKeys(deps);
  const keyIds = () => masterKey.keys.map(({ id }) => id);
  let knownIds = keyIds().join();
  let tellKey: (() => void) | undefined;
  let inForce: string | undefined;
  let fault: string | undefined;
  let reportedFault: string | undefined;
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let read = { revision: -1, at: -Infinity };

  const isFormer = () => inForce !== undefined && inForce !== masterKey.id;
  // oxlint-disable-next-line no-new
  new Gauge({
    name: "master_key_not_in_force",
    help: "Whether this process has another master key than the one in force: 1 for each such process.",
    registers: [deps.registry],
    collect() {
      this.set(Number(isFormer()));
    },
  });

  /** The key in the file; `undefined` with a fault where it has none. */
  async function readFile(end = ""): Promise<{ readonly key?: MasterKey; readonly fault?: string }> {
    // A key in a variable does not change, but the next one may be in the file beside the one that is not used.
    if (plain === undefined || (plain.text !== undefined && end === "")) return {};
    try {
      return { key: await loadMasterKey({ file: `${plain.file}${end}`, mayCreate: false }) };
    } catch (error) {
      return { fault: messageOf(error) };
    }
  }

  function take(key: MasterKey): void {
    const former = masterKey.id;
    masterKey.replace(key);
    refused.forget();
    log.info({ former, current: key.id }, "master key replaced by the one in force");
  }

  /** A file that is being written is read as malformed once: only the second time is reported. */
  function reportFault(next: string | undefined): void {
    if (next !== undefined && next === fault && next !== reportedFault)
      log.warn({ reason: next }, "the master key file can't be used: the key read before stays in use");
    if (next === undefined || next === fault) reportedFault = next;
    fault = next;
  }

  async function lookOnce(): Promise<void> {
    const [file, staged] = [await readFile(), await readFile(STAGED)];
    const wasFormer = isFormer();
    let wrappedKeys: readonly WrappedKey[];
    try {
      inForce = await keyIdInForce(database);
      wrappedKeys = await listWrappedKeys(database);
    } catch {
      // Database outages are reported elsewhere.
      return;
    }
    // Not waited for here: a source may be slow, and a file may have the key in force.
    void wrapped.look(wrappedKeys, inForce).then(takeInForce);
    const { key } = file;
    for (const next of [key, staged.key]) if (next !== undefined) masterKey.admit(next);
    takeInForce();
    const isOther = key !== undefined && key.id !== masterKey.id;
    const fileFault = isOther
      ? `it has master key ${key.id}, and ${inForce ?? "none"} is in force`
      : file.fault;
    // A restart does not need the file while the key in force is wrapped.
    reportFault(wrappedKeys.some(({ keyId }) => keyId === inForce) ? undefined : fileFault);
    if (isFormer() && !wasFormer)
      log.warn(
        { own: masterKey.id, inForce },
        `the master key of this process is no longer in force: ${NEW_KEY_REMEDY}`,
      );
    if (!isFormer()) await readChanged();
  }

  function takeInForce(): void {
    const next = masterKey.keys.find(({ id }) => id === inForce);
    if (next !== undefined && next.id !== masterKey.id) take(next);
    const ids = keyIds().join();
    if (ids !== knownIds) tellKey?.();
    knownIds = ids;
  }

  /** So that a provider that was added since can be used after the next change of the key. */
  async function readChanged(): Promise<void> {
    const revision = database.revision("facts");
    const now = performance.now();
    if (revision === read.revision || now - read.at < READING_MS) return;
    try {
      await deps.readSecrets();
      read = { revision, at: now };
    } catch {
      // Database outages are reported elsewhere.
    }
  }

  function look(): Promise<void> {
    looking ??= lookOnce().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  const plainFile = () => (wrapped.state().kind === "file" ? plain?.file : undefined);

  return {
    state: () => ({
      own: masterKey.id,
      inForce,
      isFormer: isFormer(),
      file: plainFile(),
      source: wrapped.state(),
    }),
    keyIds,
    onKey(listener) {
      tellKey = listener;
    },
    impairments: () => [
      ...(isFormer() ? [describeFormer(masterKey.id, inForce) + refused.text()] : []),
      ...(reportedFault === undefined ? [] : [UNUSABLE_FILE]),
      ...wrapped.impairments(),
    ],
    look,
    async start() {
      await look();
      timer = setInterval(() => void look(), WATCHING_MS);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}

function describeFormer(own: string, inForce: string | undefined): string {
  return `Master key ${own} of this process is not in force, ${inForce} is: it stores no secrets and does not rotate keys, and secrets that it has not used before (of identity providers, one-time codes, EC2 and OAuth 1.0a keys, recorded logins) can't be used until it has the key in force.`;
}

const UNUSABLE_FILE =
  "The master key file does not have a master key in force, so that a restart would fail: the log has the reason.";

/** Secrets that could not be used, by kind: the first part of their places. */
function createRefusals({ masterKey, registry }: MasterKeyWatchDeps) {
  const counter = new Counter({
    name: "secrets_not_unsealed_total",
    help: "Uses of secrets that failed because this process has another master key, by kind of secret.",
    labelNames: ["secret"] as const,
    registers: [registry],
  });
  const counts = new Map<string, number>();
  masterKey.reportTo((place) => {
    const kind = place.split("/", 1)[0] ?? "";
    counter.labels(kind).inc();
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  });
  return {
    /** Nothing before the first. */
    text: () =>
      counts.size === 0
        ? ""
        : ` Refused so far: ${[...counts].map(([kind, count]) => `${kind} ${count}`).join(", ")}.`,
    forget: () => counts.clear(),
  };
}
