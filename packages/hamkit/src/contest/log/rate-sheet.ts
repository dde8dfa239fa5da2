/** Contacts per hour, and the best rates. */

/** A contact of a rate sheet: `YYYYMMDDHHMM`, UTC. */
export interface TimedContact {
  readonly time: string;
  readonly band: string;
  readonly isDupe?: boolean;
}

/** An hour of a contest. */
export interface RateHour {
  /** `2024-11-23 14`, UTC. */
  readonly hour: string;
  readonly qsos: number;
  readonly total: number;
  readonly byBand: Readonly<Record<string, number>>;
}

/** Most contacts within minutes. */
export interface BestRate {
  readonly minutes: number;
  readonly qsos: number;
  /** As contacts per hour. */
  readonly perHour: number;
  /** The first contact, `2024-11-23 1405`. */
  readonly from: string;
}

/** Contacts per hour, best rates and breaks. */
export interface RateSheet {
  /** Hours with contacts, in their order. */
  readonly hours: readonly RateHour[];
  /** Of 10, 60 and 120 minutes. */
  readonly best: readonly BestRate[];
  /** From the first to the last contact without breaks, in minutes. */
  readonly operatingMinutes: number;
  /** Pauses of `breakMinutes` or more, as `2024-11-23 0105`, from the contact before to that after it. */
  readonly breaks: readonly { readonly from: string; readonly to: string; readonly minutes: number }[];
}

const MINUTE_MS = 60_000;
const WINDOWS = [10, 60, 120];

/**
 * The rate sheet of contacts.
 *
 * @param contacts As of `scoreContestLog`; dupes and contacts without a time are left out.
 * @param breakMinutes The shortest pause that is off time; 30 when left out.
 * @example
 * const contacts = ["1200", "1203", "1255", "1410"].map((time) => ({ time: `20241123${time}`, band: "20m" }));
 * const { hours, operatingMinutes } = rateSheet(contacts);
 * hours.map(({ hour, qsos }) => `${hour}: ${qsos}`); // => ["2024-11-23 12: 3", "2024-11-23 14: 1"]
 * operatingMinutes; // => 3
 */
export function rateSheet(contacts: Iterable<TimedContact>, breakMinutes = 30): RateSheet {
  const timed = Array.from(contacts)
    .filter(({ time, isDupe }) => isDupe !== true && /^\d{12}$/.test(time))
    .map(({ time, band }) => ({ at: momentOf(time), band }))
    .sort((a, b) => a.at - b.at);
  const times = timed.map(({ at }) => at);
  const breaks: { from: string; to: string; minutes: number }[] = [];
  let operatingMinutes = 0;
  for (let index = 1; index < times.length; index++) {
    const [before = 0, after = 0] = [times[index - 1], times[index]];
    const minutes = (after - before) / MINUTE_MS;
    if (minutes >= breakMinutes) breaks.push({ from: textOf(before), to: textOf(after), minutes });
    else operatingMinutes += minutes;
  }
  return {
    hours: hoursOf(timed),
    best: WINDOWS.flatMap((minutes) => bestRate(times, minutes) ?? []),
    operatingMinutes,
    breaks,
  };
}

function hoursOf(timed: readonly { readonly at: number; readonly band: string }[]): readonly RateHour[] {
  const hours = new Map<string, { qsos: number; total: number; byBand: Record<string, number> }>();
  for (const [index, { at, band }] of timed.entries()) {
    const name = textOf(at).slice(0, 13);
    let hour = hours.get(name);
    if (hour === undefined) hours.set(name, (hour = { qsos: 0, total: 0, byBand: {} }));
    hour.qsos++;
    hour.total = index + 1;
    hour.byBand[band] = (hour.byBand[band] ?? 0) + 1;
  }
  return Array.from(hours, ([hour, sums]) => ({ hour, ...sums }));
}

function bestRate(times: readonly number[], minutes: number): BestRate | undefined {
  let best = { qsos: 0, from: 0 };
  let start = 0;
  for (const [index, at] of times.entries()) {
    while (at - (times[start] ?? at) >= minutes * MINUTE_MS) start++;
    const qsos = index - start + 1;
    if (qsos > best.qsos) best = { qsos, from: times[start] ?? at };
  }
  if (best.qsos === 0) return undefined;
  return { minutes, qsos: best.qsos, perHour: (best.qsos * 60) / minutes, from: textOf(best.from) };
}

function momentOf(time: string): number {
  const part = (from: number, to: number) => Number(time.slice(from, to));
  return Date.UTC(part(0, 4), part(4, 6) - 1, part(6, 8), part(8, 10), part(10, 12));
}

/** `2024-11-23 1405`. */
function textOf(at: number): string {
  const iso = new Date(at).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 13)}${iso.slice(14, 16)}`;
}
