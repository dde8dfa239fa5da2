/** Figures of the card as text. */
import type { SunFacts } from "./station-facts.js";

/** `6,169 km` */
export function kilometersText(km: number): string {
  return `${wholeText(km)} km`;
}

/** `6,169`; rounded from tenths, which logs have, so that the figure of a QSO is the same everywhere. */
export function wholeText(km: number): string {
  return Math.round(tenths(km)).toLocaleString("en");
}

/** `296°`, from 0 to 359 */
export function degreesText(degrees: number): string {
  return `${Math.round(tenths(degrees)) % 360}°`;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

/** `06:41 UTC in 3 h`; a moment more than a minute away is rounded down to hours, or to minutes below one hour. */
export function timeText(moment: Date | null, now: Date): string {
  if (moment === null) return "none";
  const minutes = Math.floor((moment.getTime() - now.getTime()) / 60_000);
  const away = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
  return `${moment.toISOString().slice(11, 16)} UTC in ${away}`;
}

/** `Civil twilight, 4° below the horizon, on the grayline` */
export function sunText({ state, elevation, isGrayline }: SunFacts): string {
  const height = `${Math.abs(Math.round(elevation))}° ${elevation < 0 ? "below" : "above"} the horizon`;
  return `${state[0]?.toUpperCase()}${state.slice(1)}, ${height}${isGrayline ? ", on the grayline" : ""}`;
}
