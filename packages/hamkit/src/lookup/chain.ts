/** Several sources asked as one: the first answer counts. */
import { IOError } from "../errors.js";
import { askMany } from "./ask-many.js";
import { identifyAt } from "./identify.js";
import type { Identification, LookupSource, Moment, Query, ServiceSource, TableSource } from "./ports.js";
import type { CallsignRecord, EntityRecord } from "./record.js";

export interface ChainOptions {
  /** Is told of a source that failed where another one is asked in its place. */
  readonly warn: (message: string) => void;
}

/**
 * A source that asks others in their order. What one doesn't know the next one is asked; an invalid operation is an answer.
 *
 * A source that fails for the network's sake is passed over; only where no other answers the failure is the answer.
 * Of a question that one of the sources doesn't have the others are asked.
 */
export function createChain<Found extends object = CallsignRecord, Entity extends object = EntityRecord>(
  sources: readonly LookupSource<Found, Entity>[],
  { warn }: ChainOptions,
): ServiceSource<Found | CallsignRecord, Entity | EntityRecord> {
  type Answer = Identification<Found | CallsignRecord>;
  type Source = LookupSource<Found, Entity>;
  type Question<Value> = (source: Source) => Promise<Value | undefined> | Value | undefined;

  async function firstOf<Value>(ask: Question<Value>): Promise<Value | undefined> {
    let failure: IOError | undefined;
    for (const source of sources) {
      try {
        const found = await ask(source);
        if (found !== undefined) return found;
      } catch (caught) {
        failure ??= passOver(source, caught);
      }
    }
    if (failure) throw failure;
    return undefined;
  }

  function passOver(source: Source, caught: unknown): IOError {
    if (!(caught instanceof IOError)) throw caught;
    if (source !== sources.at(-1)) warn(`${source.name} is passed over. ${caught.message}`);
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

  /** Each source is asked at once for all that those before it don't know. */
  async function identifyMany(queries: readonly Query[]): Promise<Answer[]> {
    const answers = queries.map((): Answer => ({ kind: "unknown" }));
    let open = [...queries.entries()];
    await firstOf(async (source) => {
      const found = await askMany(
        source,
        open.map(([, query]) => query),
      );
      for (const [place, [index]] of open.entries()) answers[index] = found[place] ?? { kind: "unknown" };
      open = open.filter(([index]) => answers[index]?.kind === "unknown");
      return open.length === 0 ? answers : undefined;
    });
    return answers;
  }

  /** A question that only some sources have; `undefined` where none has it. */
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
  const questions = {
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
    ...withoutAbsent(questions),
  };
}

/** Tables answer at once, so a chain of them does. */
function identifyInTables(callsign: string, tables: readonly TableSource[], at: Moment): Identification {
  for (const table of tables) {
    const answer = identifyAt(callsign, table, at);
    if (answer.kind !== "unknown") return answer;
  }
  return { kind: "unknown" };
}

/** What a source doesn't offer it doesn't have. */
function withoutAbsent<Questions extends object>(
  questions: Questions,
): { [Name in keyof Questions]?: NonNullable<Questions[Name]> } {
  return Object.fromEntries(Object.entries(questions).filter(([, question]) => question !== undefined)) as {
    [Name in keyof Questions]?: NonNullable<Questions[Name]>;
  };
}
