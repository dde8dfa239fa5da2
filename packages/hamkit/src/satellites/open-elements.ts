/** Opens the elements of satellites: a local file, the cached copy, the download, or an older copy. */
import { IOError, ValueError } from "../errors.js";
import { MAX_AGE_MS } from "../io/cache-ages.js";
import { cachedDownload, cachePathOf, readCached } from "../io/cached-download.js";
import { defaultLogger, type Logger } from "../io/default-logger.js";
import { readBytes } from "../io/file.js";
import { checkTimeout } from "../io/timers.js";
import { parseElements, type SatelliteElements } from "./elements.js";

/** Where elements come from. */
export type ElementsSource = "celestrak" | "amsat";

/** Addresses of the elements of amateur satellites. */
export const ELEMENTS_URLS: Readonly<Record<ElementsSource, string>> = {
  // In JSON: TLE has no numbers above 339999.
  celestrak: "https://celestrak.org/NORAD/elements/gp.php?GROUP=amateur&FORMAT=json",
  amsat: "https://www.amsat.org/tle/current/nasabare.txt",
};

/** Options of `openElements`. */
export interface OpenElementsOptions {
  /** Default: `celestrak`. */
  readonly source?: ElementsSource | undefined;
  /** A local file; no request is made then. */
  readonly filename?: string | undefined;
  /** Another address (http or https). */
  readonly url?: string | undefined;
  /** Uses the cached copy of any age, and no network. */
  readonly offline?: boolean | undefined;
  /** Folder of the cached copy; default: the user's cache folder. */
  readonly cacheDir?: string | undefined;
  /** A younger copy is used without a request; default: a day. At least two hours: CelesTrak shuts out who asks more often. */
  readonly maxAgeMs?: number | undefined;
  /** Idle timeout of each of two attempts, in milliseconds; default 10000. */
  readonly timeoutMs?: number | undefined;
  /** Receives warnings; default: Node's process warnings. */
  readonly logger?: Logger | undefined;
}

/** Elements of satellites, by name and number. */
export interface ElementsList {
  readonly satellites: readonly SatelliteElements[];
  /** The address or path. */
  readonly source: string;
  /** When the server last confirmed this version; absent of a local file. */
  readonly checkedAt?: Date | undefined;
  /**
   * A satellite by its number, its name, or a name in brackets: `25544`, `ISS (ZARYA)`, `ISS`, `AO-07` and `AO-7`.
   *
   * @returns `undefined` if none has it, or several do.
   */
  find(name: string | number): SatelliteElements | undefined;
}

/** All amateur satellites have 60 kB. */
export const MAX_ELEMENTS_BYTES = 32 * 1024 * 1024;
const HOUR_MS = 60 * 60 * 1000;
const MIN_AGE_MS = 2 * HOUR_MS;

/**
 * Elements of amateur satellites, downloaded once a day and cached; if the download fails, an older copy is used with a warning.
 *
 * @throws {IOError} The elements can't be read, or can't be downloaded and no copy exists.
 * @throws {ValueError} The file has no elements, or an option is invalid.
 * @example
 * async function nextPass(name: string): Promise<Date | undefined> {
 *   const elements = (await openElements()).find(name);
 *   const tracker = elements && (await trackSatellite(elements));
 *   const [pass] = tracker?.passes({ latitude: 48.5, longitude: 9.4 }, { from: new Date() }) ?? [];
 *   return pass?.rise?.time;
 * }
 */
export async function openElements(options: OpenElementsOptions = {}): Promise<ElementsList> {
  const {
    source = "celestrak",
    filename,
    maxAgeMs = MAX_AGE_MS.orbitalElements,
    timeoutMs,
    logger = defaultLogger,
  } = options;
  if (!Object.hasOwn(ELEMENTS_URLS, source))
    throw new ValueError({ argument: "source", value: source, expected: "celestrak or amsat" });
  if (!(maxAgeMs >= MIN_AGE_MS))
    throw new ValueError({
      argument: "maxAgeMs",
      value: maxAgeMs,
      expected: `two hours (${MIN_AGE_MS}) or more`,
    });
  checkTimeout(timeoutMs);
  if (filename !== undefined) return readElementsFile(filename, await readBytes(filename));
  const { url = ELEMENTS_URLS[source], cacheDir, offline = false } = options;
  const copy = {
    url,
    cachePath: cachePathOf(`satellites-${source}`, { url, folder: cacheDir }),
    parse: async (content: Uint8Array) => readElementsFile(url, content),
  };
  if (offline) {
    const kept = await readCached(copy);
    if (kept) return { ...kept.value, checkedAt: kept.checkedAt };
    throw new IOError(url, "no copy of it was kept, and offline it is not downloaded");
  }
  const warn = (message: string): void => logger.warn(message);
  const outcome = await cachedDownload({
    ...copy,
    maxAgeMs,
    now: Date.now,
    warn,
    maxBytes: MAX_ELEMENTS_BYTES,
    retries: 1,
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  if (outcome.kind === "current") return { ...outcome.value, checkedAt: outcome.checkedAt };
  const { failure, kept } = outcome;
  if (!kept) throw failure;
  const reason = failure instanceof Error ? failure.message : String(failure);
  warn(`Using the elements of ${kept.checkedAt.toISOString().slice(0, 10)}: the download failed. ${reason}`);
  return { ...kept.value, checkedAt: kept.checkedAt };
}

/**
 * The elements in a file.
 *
 * @throws {ValueError} It has none: services send words instead, such as that they were asked too often.
 */
export function readElementsFile(name: string, content: Uint8Array): ElementsList {
  const text = new TextDecoder().decode(content);
  const { satellites } = parseElements(text);
  if (satellites.length === 0)
    throw new ValueError({
      argument: name,
      value: text.slice(0, 100),
      expected: "elements of satellites (TLE or OMM in JSON)",
    });
  return { satellites, source: name, find: (wanted) => findSatellite(satellites, wanted) };
}

function findSatellite(
  satellites: readonly SatelliteElements[],
  wanted: string | number,
): SatelliteElements | undefined {
  const text = String(wanted).trim();
  const byNumber = /^\d+$/.test(text)
    ? satellites.find((each) => each.catalogNumber === Number(text))
    : undefined;
  if (byNumber !== undefined) return byNumber;
  const name = comparable(text);
  const exact = satellites.find((each) => comparable(each.name) === name);
  if (exact !== undefined) return exact;
  const named = satellites.filter((each) => partsOf(each.name).includes(name));
  return named.length === 1 ? named[0] : undefined;
}

/** The names before and in brackets: `ISS (ZARYA)`, `OSCAR 7 (AO-7)`. */
function partsOf(name: string): readonly string[] {
  return name.split(/[()[\]]/).map(comparable);
}

/** In upper case, without blanks, and numbers without leading zeros: AO-07 is AO-7. */
function comparable(name: string): string {
  return name
    .trim()
    .toUpperCase()
    .replaceAll(/[\s_]+/g, "-")
    .replaceAll(/-0+(?=\d)/g, "-");
}
