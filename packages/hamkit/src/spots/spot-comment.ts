/**
 * Extracts mode, signal-to-noise ratio, speed and split from the comment of a spot.
 *
 * Skimmers write `CW    20 dB  25 WPM  CQ`, users write free text. A value is extracted only where the text is
 * unambiguous.
 */
import type { Spot, SpotDetails, SpotMode } from "./spot.js";

/** A spot while it is being filled. */
export type OpenSpot = { -readonly [Key in keyof Spot]: Spot[Key] };

/** What the comment is read for. */
export type CommentedSpot = Pick<Spot, "comment" | "frequency"> & {
  -readonly [Key in keyof SpotDetails]: SpotDetails[Key];
} & { -readonly [Key in "dxLocator" | "locator"]?: Spot[Key] };

/** The modes of {@link SpotMode} and their other spellings. One pattern is five times as fast as a set of words. */
const MODE =
  /(?<![A-Z0-9])(?:CW|SSB|USB|LSB|RTTY|SSTV|DMR|C4FM|OLIVIA|MFSK|FT-?8|FT-?4|JS8(?:CALL)?|Q65|MSK144|JT65|JT9|JT4|FST4W?|WSPR|B?PSK(?:31|63|125)?)(?![A-Z0-9])/i;
/** Other spellings of modes, in upper case. */
export const MODE_SPELLINGS: ReadonlyMap<string, SpotMode> = new Map([
  ["FT-8", "FT8"],
  ["FT-4", "FT4"],
  ["JS8CALL", "JS8"],
  ["BPSK", "PSK"],
  ["BPSK31", "PSK31"],
  ["BPSK63", "PSK63"],
  ["BPSK125", "PSK125"],
]);
/** Among other words these usually mean something else: "am" in sentences, "FM JN48" for "from JN48". */
const MODE_ALONE = /^(?:AM|FM)$/i;
/** Not after a report such as 59 or S9, where decibels are those of the S meter. */
const SNR = /(?<![\w.+-])(?<!\b(?:S?9|5[0-9]9?) )([+-]?[0-9]{1,3}) ?dB(?![A-Z])/i;
const WPM = /(?<![\w.])([0-9]{1,3}) ?WPM(?!\w)/i;

/** Adds mode, signal-to-noise ratio, speed, split and path from the comment to the spot, and returns it. */
export function addDetails<Commented extends CommentedSpot>(spot: Commented): Commented {
  const { comment } = spot;
  if (comment === "") return spot;
  const mode = findMode(comment);
  if (mode !== undefined) spot.mode = mode;
  const snr = SNR.exec(comment)?.[1];
  if (snr !== undefined) spot.snr = Number(snr) || 0; // "-00" would be -0
  const wpm = WPM.exec(comment)?.[1];
  if (wpm !== undefined) spot.wpm = Number(wpm);
  const { qsx, listens } = findSplit(comment, spot.frequency);
  if (qsx !== undefined) spot.qsx = qsx;
  if (listens !== undefined) spot.listens = listens;
  const path = findPath(comment);
  if (path !== undefined) {
    spot.dxLocator ??= path.dxLocator;
    spot.locator ??= path.locator;
    if (path.propagation !== undefined) spot.propagation = path.propagation;
  }
  return spot;
}

/** What a VHF spot has of its path. */
export interface SpotPath {
  /** The spotter's, in upper case. */
  readonly locator: string;
  readonly dxLocator: string;
  /** As ADIF's `PROP_MODE`. */
  readonly propagation?: string;
}

/** `IO91<TR>JO22`, `EL86XQ<>EN80`, `JO31 MS JN75`. By custom the first locator is the spotter's. */
const PATH =
  /(?<!\w)([A-R]{2}[0-9]{2}(?:[A-X]{2})?)(?: ?<([A-Z0-9]{0,6})> ?| (ES|TR|TROPO|MS|EME|AUR?|FAI|TEP|RS|F2) )([A-R]{2}[0-9]{2}(?:[A-X]{2})?)(?!\w)/i;
/** ADIF's names, and those that are other ones. */
const PROPAGATION = /^(?:AS|AUE|AUR|BS|EME|ES|F2|FAI|ION|LOS|MS|RPT|RS|SAT|TEP|TR)$/;
const PROPAGATION_SPELLINGS: ReadonlyMap<string, string> = new Map([
  ["AU", "AUR"],
  ["AURORA", "AUR"],
  ["TROPO", "TR"],
]);

/** The two locators of a comment with the kind of propagation between them. */
export function findPath(comment: string): SpotPath | undefined {
  const [, locator, marked = "", word = marked, dxLocator] = PATH.exec(comment) ?? [];
  if (locator === undefined || dxLocator === undefined) return undefined;
  const kind = word.toUpperCase();
  const propagation = PROPAGATION_SPELLINGS.get(kind) ?? kind;
  return {
    locator: locator.toUpperCase(),
    dxLocator: dxLocator.toUpperCase(),
    ...(PROPAGATION.test(propagation) && { propagation }),
  };
}

function findMode(comment: string): SpotMode | undefined {
  const found = MODE.exec(comment) ?? MODE_ALONE.exec(comment);
  if (found === null) return undefined;
  const word = found[0].toUpperCase();
  return MODE_SPELLINGS.get(word) ?? (word as SpotMode);
}

/** A listening frequency, or only a direction. */
type Split = Pick<SpotDetails, "qsx" | "listens">;

/** Required for a split; tested first, because most comments have none. */
const SPLIT = /QSX|UP|DN|DOWN|DWN|LISTEN|U ?[0-9]|D ?[0-9]/i;
const QSX =
  /(?<!\w)(?:QSX|listen(?:ing|s)?(?: (?:on|at))?):? ?([0-9]{1,9}(?:[.,][0-9]{1,6})?)(?: ?(?:-|\.\.|to|\/) ?[0-9]{1,9}(?:\.[0-9]{1,6})?)?(?: ?[kM]Hz)?(?![\w.-])/i;
/** Of a range (`UP 5-10`, `UP 5/7`) the nearer end. `DN45` is a locator. A number with another unit (`up 10 dB`, `up 5 min`) is no distance. */
const UP =
  /(?<!\w)(?<!\b(?:wake|back|hang|pick|turn|set|what[ '’]?s|show) )(?!DN[0-9]{2})((?:UP|DN|DOWN|DWN)(?: ?)|[UD](?=[0-9]))([0-9]{1,2}(?:\.[0-9]{1,2})?)(?:[-/][0-9]{1,2})?(?: ?kHz| ?k)?(?![\w./+-])(?! (?:the|my|all|of)\b)(?! to (?![0-9]))(?! ?(?:dB|min|minutes?|mins|hours?|hrs?|h|days?|am|pm|m|ft|S|deg|degrees|percent)\b|%)/i;
const BY_UP = /(?<![\w./+-])([0-9]{1,2}(?:\.[0-9]{1,2})?) ?(?:kHz |k )?(UP|DN|DOWN|DWN)(?!\w)(?! the\b)/i;

/** A larger number is not a split; "UP 73" is a greeting. */
const MAX_SPLIT_KHZ = 50;

/** The listening frequency; where the comment has none, the direction. */
function findSplit(comment: string, frequency: number): Split {
  if (!SPLIT.test(comment)) return {};
  const qsx = findQsx(comment, frequency);
  if (qsx !== undefined) return { qsx };
  const listens = findDirection(comment);
  return listens === undefined ? {} : { listens };
}

function findQsx(comment: string, frequency: number): number | undefined {
  const written = Number(QSX.exec(comment)?.[1]);
  if (isNear(written, frequency)) return written;
  if (isNear(written * 1000, frequency)) return roundToHertz(written * 1000); // MHz
  if (written >= 100 && written < 1000) return withinMegahertz(written, frequency);
  const [, up, by] = UP.exec(comment) ?? [];
  const [, byBefore, upBefore] = BY_UP.exec(comment) ?? [];
  return shifted(frequency, up, by) ?? shifted(frequency, upBefore, byBefore);
}

/** QSX 260 on 14250: the last three digits of the kilohertz. */
function withinMegahertz(written: number, frequency: number): number | undefined {
  const listening = Math.floor(frequency / 1000) * 1000 + written;
  return isNear(listening, frequency) ? roundToHertz(listening) : undefined;
}

/** Whether the listening frequency is within 10 %: roughly the same band. */
function isNear(listening: number, frequency: number): boolean {
  return Math.abs(listening - frequency) < 0.1 * frequency;
}

function shifted(
  frequency: number,
  direction: string | undefined,
  by: string | undefined,
): number | undefined {
  const offset = Number(by);
  if (direction === undefined || !(offset > 0 && offset <= MAX_SPLIT_KHZ)) return undefined;
  return roundToHertz(direction.toUpperCase().startsWith("U") ? frequency + offset : frequency - offset);
}

function roundToHertz(kilohertz: number): number {
  return Math.round(kilohertz * 1000) / 1000;
}

const DIRECTIONS: Readonly<Record<string, "up" | "down">> = {
  UP: "up",
  DN: "down",
  DOWN: "down",
  DWN: "down",
};
/**
 * Words that stand beside a direction alone; beside any other it is a word of a sentence ("wake up", "up early", "down in the noise").
 */
const BESIDE =
  /^(?:CQ|QRZ|QSX|RX|SPLIT|LISTEN(?:S|ING)?|LSN|LSTNG|WORKING|WRKG|WKG|CALL(?:S|ING)?|ONLY|PSE|PLS|PLEASE|TNX|TKS|THX|THANKS|TU|LOUD|STRONG|WEAK|FB|DX|EU|NA|SA|AF|AS|OC|JA|USA?|[1-5][1-9][9NT]?|5NN|S[1-9]|DB|WPM|BPS|CW|SSB|USB|LSB|RTTY|FT[48]|PHONE|[0-9]{1,3}C?M|KHZ|LITTLE|FEW|BIT)$/;
/** They stand behind a direction only: "UP 73" greets, "73 up" does not listen. */
const BEHIND = /^(?:73|88|A|SOME|AGN)$/;

/** The direction of `UP`, `CW UP`, `UP UP tnx`; none of both, such as `UP/DN`. */
function findDirection(comment: string): Split["listens"] {
  const found = new Set<"up" | "down">();
  // Words stand beside each other unless punctuation is between them; "pile-up" is one word.
  for (const phrase of comment.toUpperCase().split(/[^A-Z0-9 '’+-]+/)) {
    const words = phrase.split(" ").filter((word) => word !== "");
    for (const [index, word] of words.entries()) {
      const direction = directionOf(word);
      if (direction !== undefined && standsAlone(words, index)) found.add(direction);
    }
  }
  const [direction] = found;
  return found.size === 1 ? direction : undefined;
}

function directionOf(word: string): "up" | "down" | undefined {
  return Object.hasOwn(DIRECTIONS, word) ? DIRECTIONS[word] : undefined;
}

function standsAlone(words: readonly string[], index: number): boolean {
  const before = words.slice(0, index).findLast((word) => directionOf(word) === undefined);
  const behind = words.slice(index + 1).find((word) => directionOf(word) === undefined);
  return (
    (before === undefined || BESIDE.test(before)) &&
    (behind === undefined || BESIDE.test(behind) || BEHIND.test(behind))
  );
}
