/** A chain of sources: the first one that identifies a callsign answers. */
import { IOError } from "../errors.js";
import { askMany } from "./ask-many.js";
import { identifyAt } from "./identify.js";
import type { Identification, LookupSource, Moment, Query, ServiceSource, TableSource } from "./source.js";
import type { CallsignRecord, EntityRecord } from "./record.js";

export interface ChainOptions {
  /** Receives a warning when a source failed and the next one is asked. */
  readonly warn: (message: string) => void;
}

/**
 * A source that asks others in their order until one identifies the callsign or reports an invalid operation.
 *
 * A source that fails with an `IOError` is skipped; if no other one answers, the chain fails with that error. Sources
 * without a method are skipped for it.
 */
export function createChain<Found extends object = CallsignRecord, Entity extends object = EntityRecord>(
  sources: readonly LookupSource<Found, Entity>[],
  { warn }: ChainOptions,
): ServiceSource<Found | CallsignRecord, Entity | EntityRecord> {
  type Answer = Identification<Found | CallsignRecord>;
  type Source = LookupSource<Found, Entity>;
  type Ask<Value> = (source: Source) => Promise<Value | undefined> | Value | undefined;

  async function firstOf<Value>(ask: Ask<Value>): Promise<Value | undefined> {
    let failure: IOError | undefined;
    for (const source of sources) {
      try {
        const found = await ask(source);
        if (found !== undefined) return found;
      } catch (caught) {
        failure ??= skip(source, caught);
      }
    }
    if (failure) throw failure;
    return undefined;
  }

  function skip(source: Source, caught: unknown): IOError {
    if (!(caught instanceof IOError)) throw caught;
    if (source !== sources.at(-1)) warn(`${source.name} is skipped. ${caught.message}`);
    return caught;
  }

  async function identifyLater(callsign: string, at: Moment): Promise<Answer> {
    const answer = await firstOf<Answer>(async (source) => {
      const one =
        source.kind === "table" ? identifyAt(callsign, source, at) : await source.identify(callsign, at);
      return one.kind === "unknown" ? undefined : one;
    });
    return answer ?? { kind: "unknown" };
  }

  /** Each source is asked in one batch for all callsigns that those before it did not identify. */
  async function identifyMany(queries: readonly Query[]): Promise<Answer[]> {
    const answers = queries.map((): Answer => ({ kind: "unknown" }));
    let unknown = [...queries.entries()];
    await firstOf(async (source) => {
      const found = await askMany(
        source,
        unknown.map(([, query]) => query),
      );
      for (const [place, [index]] of unknown.entries()) answers[index] = found[place] ?? { kind: "unknown" };
      unknown = unknown.filter(([index]) => answers[index]?.kind === "unknown");
      return unknown.length === 0 ? answers : undefined;
    });
    return answers;
  }

  /** A method that only some sources have; `undefined` where none has it. */
  function offered<Arguments extends unknown[], Value>(
    method: "exact" | "prefix" | "entity" | "isInvalidOperation" | "zoneException",
    ask: (source: Source, ...given: Arguments) => Promise<Value | undefined> | Value | undefined,
  ): ((...given: Arguments) => Promise<Value | undefined>) | undefined {
    if (!sources.some((source) => source[method] !== undefined)) return undefined;
    return (...given) => firstOf((source) => ask(source, ...given));
  }

  const invalid = offered("isInvalidOperation", async (source, call: string, at: Moment) =>
    (await source.isInvalidOperation?.(call, at)) ? true : undefined,
  );
  const methods = {
    exact: offered<[string, Moment], Found | CallsignRecord>("exact", (source, call, at) =>
      source.exact?.(call, at),
    ),
    prefix: offered("prefix", (source, prefix: string, at: Moment) => source.prefix?.(prefix, at)),
    entity: offered<[number], Entity | EntityRecord>("entity", (source, adif) => source.entity?.(adif)),
    zoneException: offered("zoneException", (source, call: string, at: Moment) =>
      source.zoneException?.(call, at),
    ),
    isInvalidOperation: invalid && (async (call: string, at: Moment) => (await invalid(call, at)) ?? false),
  };

  const tables = sources.filter((source) => source.kind === "table");
  return {
    kind: "service",
    name: sources.map(({ name }) => name).join(", then "),
    identify:
      tables.length === sources.length
        ? (callsign, at) => identifyInTables(callsign, tables, at)
        : identifyLater,
    identifyMany,
    ...withoutAbsent(methods),
  };
}

/** A chain of tables answers synchronously. */
function identifyInTables(callsign: string, tables: readonly TableSource[], at: Moment): Identification {
  for (const table of tables) {
    const answer = identifyAt(callsign, table, at);
    if (answer.kind !== "unknown") return answer;
  }
  return { kind: "unknown" };
}

/** The methods that are defined: a source lacks those that it does not offer. */
function withoutAbsent<Methods extends object>(
  methods: Methods,
): { [Name in keyof Methods]?: NonNullable<Methods[Name]> } {
  return Object.fromEntries(Object.entries(methods).filter(([, method]) => method !== undefined)) as {
    [Name in keyof Methods]?: NonNullable<Methods[Name]>;
  };
}
