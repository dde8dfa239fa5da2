/** Alerts for spots that are needed: a notification of the desktop, a sound, with quiet hours. */

/** Kept on the device; all off until the user asks for them. */
export interface AlertSettings {
  readonly notification: boolean;
  readonly sound: boolean;
  /** Also for what is worked, but not confirmed. */
  readonly unconfirmed: boolean;
  /** Local times, as `22:00`; no quiet hours without both. */
  readonly quietFrom: string;
  readonly quietUntil: string;
}

export const NO_ALERTS: AlertSettings = {
  notification: false,
  sound: false,
  unconfirmed: false,
  quietFrom: "",
  quietUntil: "",
};

/** What an alert is about. */
export interface AlertSpot {
  readonly dx: string;
  readonly band: string;
  readonly mode: string;
  readonly frequencyKHz: number;
  readonly country: string;
  readonly needed: readonly { readonly text: string; readonly isNew: boolean }[] | undefined;
}

export interface AlertOutput {
  readonly notify: (title: string, text: string) => void;
  readonly beep: () => void;
}

/** The same station on the same band and mode is announced again after this time. */
const SILENCE_MS = 30 * 60_000;
/** One sound for all that arrives within it. */
const BEEP_MS = 3000;
/** More at once are announced in one notification. */
const MAX_NOTIFICATIONS = 3;
const MAX_REMEMBERED = 2000;

/** A function that announces the spots of a batch. */
export function createAlerts({ notify, beep }: AlertOutput) {
  const announced = new Map<string, number>();
  let lastBeep = -Infinity;
  return (spots: readonly AlertSpot[], settings: AlertSettings, now: Date): void => {
    if ((!settings.notification && !settings.sound) || isQuiet(settings, now)) return;
    const news = spots.filter((spot) => isWanted(spot, settings) && isFresh(spot, now.getTime()));
    if (news.length === 0) return;
    if (settings.notification) {
      for (const spot of news.slice(0, MAX_NOTIFICATIONS)) notify(titleOf(spot), textOf(spot));
      const more = news.length - MAX_NOTIFICATIONS;
      if (more > 0)
        notify(
          `${more} more needed`,
          news
            .slice(MAX_NOTIFICATIONS)
            .map(({ dx }) => dx)
            .join(", "),
        );
    }
    if (settings.sound && now.getTime() - lastBeep >= BEEP_MS) {
      lastBeep = now.getTime();
      beep();
    }
  };

  function isFresh({ dx, band, mode }: AlertSpot, now: number): boolean {
    const key = `${dx} ${band} ${mode}`;
    const before = announced.get(key);
    if (before !== undefined && now - before < SILENCE_MS) return false;
    announced.delete(key);
    announced.set(key, now);
    const [oldest] = announced.keys();
    if (announced.size > MAX_REMEMBERED && oldest !== undefined) announced.delete(oldest);
    return true;
  }
}

function isWanted({ needed = [] }: AlertSpot, { unconfirmed }: AlertSettings): boolean {
  return needed.some(({ isNew }) => isNew || unconfirmed);
}

/** Whether a moment is in the quiet hours, which may go over midnight. */
export function isQuiet({ quietFrom, quietUntil }: AlertSettings, now: Date): boolean {
  const from = minutesOf(quietFrom);
  const until = minutesOf(quietUntil);
  if (from === undefined || until === undefined || from === until) return false;
  const minutes = now.getHours() * 60 + now.getMinutes();
  return from < until ? minutes >= from && minutes < until : minutes >= from || minutes < until;
}

function minutesOf(text: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

function titleOf({ dx, frequencyKHz, mode }: AlertSpot): string {
  return `${dx} on ${frequencyKHz.toFixed(1)} kHz${mode === "" ? "" : `, ${mode}`}`;
}

function textOf({ country, needed = [] }: AlertSpot): string {
  return [country, ...needed.map(({ text }) => text)].filter((part) => part !== "").join(", ");
}
