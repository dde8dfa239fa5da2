/**
 * Replays recorded logins against new rules: what each would result in by the stored rules and by the new ones. By the engine of logins;
 * nothing is written.
 */
import { setImmediate as nextTurn } from "node:timers/promises";

import type { IdentityProvider } from "../../identity-providers/identity-provider.js";
import type { StoredProtocol, ProtocolKey } from "../../identity-providers/protocols/protocol-store.js";
import {
  compileMappingInSlices,
  type Mapping,
  type MappingSource,
} from "../../mappings/rules/compile-mapping.js";
import { evaluateMapping } from "../../mappings/rules/evaluate-mapping.js";
import { traceMapping } from "../../mappings/rules/trace-mapping.js";
import { createKeyedQueue } from "../../platform/concurrency/keyed-queue.js";
import type { PreviewLogin, PreviewOutcome } from "./login-preview.js";
import type { LoginRecordings } from "../recording/login-recordings.js";
import type { RecordedLogin } from "../recording/recording-store.js";
import { CHANGE_KINDS, changesBetween, type LoginChange } from "./login-changes.js";

/** A change and the logins that have it. */
export interface CountedChange extends LoginChange {
  readonly count: number;
  /** In a sentence, such as `3 gain admin in project X`. */
  readonly text: string;
}

/** A login that the new rules change. */
export interface ReplayedLogin extends Omit<RecordedLogin, "attributes"> {
  /** The user by the new rules or, if they reject it, by the stored ones. */
  readonly user: string;
  /** Indexes of `changes`. */
  readonly changes: readonly number[];
}

export interface Replay {
  /** The number of logins that were replayed. */
  readonly logins: number;
  readonly same: number;
  /** Those that both rules reject, for reasons of their own. */
  readonly refusedByBoth: number;
  /** Those for which there was no time. */
  readonly left: number;
  readonly changes: readonly CountedChange[];
  readonly details: readonly ReplayedLogin[];
  /** Attributes that the rules use, or that have to name the user, and that a protocol does not record: their conditions fail in a replay. */
  readonly unrecorded: readonly (ProtocolKey & { readonly attributes: readonly string[] })[];
}

export interface ReplayDeps {
  readonly recordings: Pick<LoginRecordings, "list" | "logins">;
  readonly mappings: { readonly getCompiled: (id: string) => Promise<Mapping> };
  readonly protocols: { readonly listAll: (mappingId?: string) => Promise<readonly StoredProtocol[]> };
  readonly identityProviders: { readonly get: (id: string) => Promise<IdentityProvider> };
  readonly previewLogin: PreviewLogin;
  readonly now: () => number;
}

export interface ReplayRequest extends MappingSource {
  readonly mappingId: string;
  /** Only the logins of these; all protocols of the mapping, if left out. */
  readonly idpId?: string | undefined;
  readonly protocolId?: string | undefined;
}

/** How long a replay takes, at most. */
const MAX_REPLAY_MS = 20_000;
/** Replays that wait: one runs at a time in each process. */
const MAX_WAITING = 4;
/** Recorded logins of one page: so many are unsealed at once. */
const PAGE = 200;

/** @throws {MappingRulesError} {@link RecordingNotAllowedError} {@link MappingNotFoundError} */
export function createReplay(deps: ReplayDeps): (request: ReplayRequest) => Promise<Replay> {
  const queue = createKeyedQueue({ maxWaiting: MAX_WAITING });
  return (request) => queue.run("replay", () => replay(deps, request));
}

async function replay(
  deps: ReplayDeps,
  { mappingId, idpId, protocolId, ...source }: ReplayRequest,
): Promise<Replay> {
  const stored = await deps.mappings.getCompiled(mappingId);
  const wanted = await compileMappingInSlices(source);
  const recorded = await deps.recordings.list();
  const protocols = (await deps.protocols.listAll(mappingId)).filter(
    (protocol) =>
      (idpId === undefined || protocol.idpId === idpId) &&
      (protocolId === undefined || protocol.id === protocolId),
  );
  const used = new Set([...attributesIn(stored), ...attributesIn(wanted)]);
  const report = createReport();
  const unrecorded: { idpId: string; id: string; attributes: string[] }[] = [];
  const deadline = deps.now() + MAX_REPLAY_MS;
  for (const key of protocols) {
    const recording = recorded.get(JSON.stringify([key.idpId, key.id]));
    if (recording === undefined) continue;
    const needed = new Set(used);
    const provider = await deps.identityProviders.get(key.idpId);
    for await (const login of loginsOf(deps, key)) {
      if (deps.now() > deadline) report.leave();
      else
        report.add(
          login,
          await compare(deps, login, { stored, wanted, mappingId, provider, protocolId: key.id }),
        );
      const isNamed = needed.has(REMOTE_USER) || recording.attributes.includes(REMOTE_USER);
      if (!isNamed && [stored, wanted].some((mapping) => takesRemoteUser(mapping, login)))
        needed.add(REMOTE_USER);
      await nextTurn();
    }
    const missing = [...needed].filter((name) => !recording.attributes.includes(name));
    if (missing.length > 0) unrecorded.push({ idpId: key.idpId, id: key.id, attributes: missing });
  }
  return { ...report.result(), unrecorded };
}

async function* loginsOf({ recordings }: ReplayDeps, key: ProtocolKey): AsyncGenerator<RecordedLogin> {
  for (let before: RecordedLogin | undefined, isFull = true; isFull;) {
    const logins = await recordings.logins(key, { before, limit: PAGE });
    yield* logins;
    isFull = logins.length === PAGE;
    before = logins.at(-1);
  }
}

interface Compared {
  readonly stored: Mapping;
  readonly wanted: Mapping;
  readonly mappingId: string;
  readonly provider: IdentityProvider;
  readonly protocolId: string;
}

interface ChangedLogin {
  readonly user: string;
  readonly changes: readonly LoginChange[];
}

type Comparison = "same" | "refused by both" | ChangedLogin;

async function compare(
  { previewLogin }: ReplayDeps,
  { attributes }: RecordedLogin,
  { stored, wanted, ...login }: Compared,
): Promise<Comparison> {
  // Most logins: what they map to is the same, so that the rest is, too.
  if (identityText(stored, attributes) === identityText(wanted, attributes)) return "same";
  const before = await previewLogin({ ...login, attributes, mapping: stored });
  const after = explained(await previewLogin({ ...login, attributes, mapping: wanted }), wanted, attributes);
  if (before.kind === "refused" && after.kind === "refused") return "refused by both";
  const changes = changesBetween(before, after, { isExact: wanted.schemaVersion === "3.0" });
  if (changes.length === 0) return "same";
  const shown = after.kind === "accepted" ? after : before;
  return { user: shown.kind === "accepted" ? shown.preview.user.name : "", changes };
}

const REMOTE_USER = "REMOTE_USER";

/** Whether the rules leave the user's name, or the user, to {@link REMOTE_USER}. */
function takesRemoteUser(mapping: Mapping, { attributes }: RecordedLogin): boolean {
  const outcome = evaluateMapping(mapping, attributes);
  return outcome.kind !== "failed" && outcome.identity.user.type !== "local" && !outcome.identity.user.name;
}

function identityText(mapping: Mapping, attributes: RecordedLogin["attributes"]): string {
  const outcome = evaluateMapping(mapping, attributes);
  if (outcome.kind === "failed") return "refused";
  const { schemaVersion, hasOneDomain } = mapping;
  return JSON.stringify([
    outcome.identity,
    [...outcome.groupIdDomains],
    schemaVersion === "3.0",
    hasOneDomain,
  ]);
}

/** Where no rule matches, the reason is the first failing condition of the rule that came closest. */
function explained(
  outcome: PreviewOutcome,
  mapping: Mapping,
  attributes: RecordedLogin["attributes"],
): PreviewOutcome {
  if (outcome.kind === "accepted" || outcome.facts.step !== "mapping") return outcome;
  const { error, trace } = traceMapping(mapping, attributes);
  if (error?.reason !== "no-rule-matched") return outcome;
  const closest = trace
    .map(({ rule, conditions }) => ({
      rule,
      held: conditions.filter(({ matched }) => matched).length / conditions.length,
      failed: conditions.find(({ matched }) => !matched),
    }))
    .toSorted((one, other) => other.held - one.held)[0];
  const reason =
    closest?.failed === undefined
      ? error.message
      : `rule ${closest.rule + 1}: ${withoutValues(closest.failed.reason)} (${closest.failed.type})`;
  return { kind: "refused", facts: { ...outcome.facts, reason } };
}

/** Hints quote values of this login; without them, logins that fail for the same reason count as one change. */
const withoutValues = (reason: string): string => reason.split(";", 1)[0] ?? reason;

function attributesIn({ rules }: Mapping): string[] {
  return rules.flatMap(({ conditions }) => conditions.map(({ attribute }) => attribute));
}

/** Counts changes, each once however many logins have it. */
function createReport() {
  const changes = new Map<string, { change: LoginChange; count: number; index: number }>();
  const details: { login: RecordedLogin; user: string; changes: number[] }[] = [];
  let [logins, same, refusedByBoth, left] = [0, 0, 0, 0];

  function indexOf(change: LoginChange): number {
    const key = JSON.stringify(change);
    const known = changes.get(key) ?? { change, count: 0, index: changes.size };
    known.count++;
    changes.set(key, known);
    return known.index;
  }

  return {
    leave: () => void left++,

    add(login: RecordedLogin, comparison: Comparison): void {
      logins++;
      if (comparison === "same") same++;
      else if (comparison === "refused by both") refusedByBoth++;
      else details.push({ login, user: comparison.user, changes: comparison.changes.map(indexOf) });
    },

    result(): Omit<Replay, "unrecorded"> {
      const ordered = [...changes.values()].toSorted(
        (one, other) => weightOf(one.change) - weightOf(other.change) || other.count - one.count,
      );
      const places = new Map(ordered.map(({ index }, place) => [index, place]));
      return {
        logins,
        same,
        refusedByBoth,
        left,
        changes: ordered.map(({ change, count }) =>
          Object.assign({ count, text: textOf(change, count) }, change),
        ),
        details: details.map(({ login: { id, idpId, protocolId, recordedAt }, user, changes: indexes }) => ({
          id,
          idpId,
          protocolId,
          recordedAt,
          user,
          changes: indexes.map((index) => places.get(index) ?? 0).toSorted((a, b) => a - b),
        })),
      };
    },
  };
}

/** What an author has to see first: who becomes an administrator. */
function weightOf({ kind, role }: LoginChange): number {
  return CHANGE_KINDS.indexOf(kind) - (kind === "gains_role" && role === "admin" ? 1 : 0);
}

const VERBS: Readonly<Record<LoginChange["kind"], readonly [one: string, many: string]>> = {
  gains_role: ["gains", "gain"],
  refused: ["refused", "refused"],
  user_changed: ["would", "would"],
  loses_role: ["loses", "lose"],
  stops_granting: ["is no longer granted", "are no longer granted"],
  gains_group: ["joins", "join"],
  loses_group: ["leaves", "leave"],
  creates_project: ["creates project", "create project"],
  accepted: ["accepted that was refused", "accepted that were refused"],
};

function textOf({ kind, what }: LoginChange, count: number): string {
  const verb = VERBS[kind][count === 1 ? 0 : 1];
  if (kind === "refused") return `${count} ${verb} (${what})`;
  return [`${count} ${verb}`, what].filter(Boolean).join(" ");
}
