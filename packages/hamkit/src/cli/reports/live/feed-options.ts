/** The options of `hamkit spots --connect`: sources and criteria. */
import { identify } from "../../../lookup/identify.js";
import type { TableSource } from "../../../lookup/source.js";
import {
  activatorSource,
  clusterSource,
  eventStreamSource,
  pskReporterSource,
  rbnSource,
  type FeedSource,
  type PskReporterFilter,
  type SpotCriteria,
} from "../../../feeds.js";
import type { LookupOptions } from "../../databases/lookup-options.js";
import { UsageError } from "../../exit-code.js";

export interface FeedOptions extends LookupOptions {
  readonly from?: string;
  readonly json?: boolean;
  readonly connect?: readonly string[];
  readonly login?: string;
  readonly command?: readonly string[];
  readonly band?: readonly string[];
  readonly mode?: readonly string[];
  readonly dxContinent?: readonly string[];
  readonly dxEntity?: readonly string[];
  readonly spotterContinent?: readonly string[];
  readonly spotterEntity?: readonly string[];
  readonly match?: readonly string[];
  readonly skimmer?: boolean;
  readonly count?: number;
  readonly sse?: EventAddress;
}

/** Where events are served. */
export interface EventAddress {
  readonly address: string;
  readonly port: number;
}

/** Sources without an address. */
const NAMED: Readonly<Record<string, (options: FeedOptions) => FeedSource>> = {
  rbn: (options) => rbnSource({ call: loginOf(options, "rbn") }),
  "rbn-ft8": (options) => rbnSource({ call: loginOf(options, "rbn-ft8"), mode: "ft8" }),
  pskreporter: (options) => pskReporterSource({ filter: reporterFilters(options) }),
  pota: () => activatorSource("POTA"),
  sota: () => activatorSource("SOTA"),
  wwff: () => activatorSource("WWFF"),
};

/** A host, or an address in brackets, and a port. */
const HOST = /^(?:\[([0-9A-F:.]+)\]|([^\s:/@]+))(?::([0-9]{1,5}))?$/i;

/**
 * The sources that `--connect` names.
 *
 * @param password From the environment: other users can read the command line.
 * @throws {UsageError} A name is none of a source, or an option that it needs is missing.
 */
export function sourcesOf(options: FeedOptions, password: string | undefined): FeedSource[] {
  return (options.connect ?? []).map((text) => {
    const named = Object.hasOwn(NAMED, text.toLowerCase()) ? NAMED[text.toLowerCase()] : undefined;
    if (named !== undefined) return named(options);
    if (/^https?:\/\//i.test(text)) return eventStreamSource({ url: text });
    const [, address, host = address, port] = HOST.exec(text) ?? [];
    if (host === undefined) {
      const names = Object.keys(NAMED).join(", ");
      throw new UsageError(`'${text}' is no source: write HOST, HOST:PORT, an http address, or ${names}`);
    }
    return clusterSource({
      host,
      port: port === undefined ? undefined : Number(port),
      call: loginOf(options, text),
      password,
      commands: options.command,
      name: text,
    });
  });
}

function loginOf({ login }: FeedOptions, source: string): string {
  if (login !== undefined) return login;
  throw new UsageError(`${source} asks for a callsign: add --login CALL`);
}

/** PSK Reporter has too many reports to receive all of them. */
function reporterFilters({ band = [], mode = [] }: FeedOptions): PskReporterFilter[] {
  if (band.length === 0 && mode.length === 0) {
    throw new UsageError("pskreporter has hundreds of reports a second: add --band or --mode");
  }
  const modes = mode.length === 0 ? [undefined] : mode;
  return (band.length === 0 ? [undefined] : band).flatMap((oneBand) =>
    modes.map((oneMode) => ({ band: oneBand, mode: oneMode })),
  );
}

/** @throws {UsageError} An entity is neither a code nor a call or prefix that the table knows. */
export function criteriaOf(options: FeedOptions, table: TableSource): SpotCriteria {
  return {
    bands: options.band,
    modes: options.mode,
    dxContinents: options.dxContinent,
    dxEntities: options.dxEntity?.map((text) => entityCode(text, table)),
    spotterContinents: options.spotterContinent,
    spotterEntities: options.spotterEntity?.map((text) => entityCode(text, table)),
    calls: options.match,
    skimmer: options.skimmer,
  };
}

function entityCode(text: string, table: TableSource): number {
  if (/^[0-9]{1,3}$/.test(text)) return Number(text);
  const now = Date.now();
  const found = identify(text, { table });
  const record = found.kind === "identified" ? found.record : table.prefix(text.toUpperCase(), now);
  if (record !== undefined) return record.adif;
  throw new UsageError(`'${text}' is no entity: write ADIF's code, a prefix or a callsign`);
}
