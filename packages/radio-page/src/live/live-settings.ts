/** What the user has chosen for the live panel, kept on the device. */
import { keep, readKept } from "../device.js";
import { NO_ALERTS, type AlertSettings } from "../needed/alerts.js";
import { ALL_SPOTS, type SpotFilter } from "./spot-filter.js";

/** Services that the browser asks by itself: all off until the user turns them on. */
export interface DirectSettings {
  readonly pskReporter: boolean;
  readonly pskReporterUrl: string;
  readonly band: string;
  /** Only what is heard in the own square. */
  readonly isLocal: boolean;
  readonly pota: boolean;
  readonly potaUrl: string;
}

export interface LiveSettings {
  readonly filter: SpotFilter;
  readonly direct: DirectSettings;
  readonly alerts: AlertSettings;
}

export const DEFAULT_DIRECT: DirectSettings = {
  pskReporter: false,
  pskReporterUrl: "wss://mqtt.pskreporter.info:1886",
  band: "20m",
  isLocal: true,
  pota: false,
  potaUrl: "https://api.pota.app/spot/activator",
};

export function readSettings(): LiveSettings {
  const kept = objectOf(readKept("live"));
  return {
    filter: merged(ALL_SPOTS, kept["filter"]),
    direct: merged(DEFAULT_DIRECT, kept["direct"]),
    alerts: merged(NO_ALERTS, kept["alerts"]),
  };
}

export function keepSettings(settings: LiveSettings): void {
  keep("live", JSON.stringify(settings));
}

/** Whether a source was turned on, so that it is connected when the page is opened. */
export function isDirect({ pskReporter, pota }: DirectSettings): boolean {
  return pskReporter || pota;
}

function objectOf(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

/** The default, with those members of a kept value that have its types: another version may have kept them. */
function merged<Value extends object>(initial: Value, kept: unknown): Value {
  if (typeof kept !== "object" || kept === null) return initial;
  const values = kept as Readonly<Record<string, unknown>>;
  const entries = Object.entries(initial).map(([name, value]) => {
    const other = values[name];
    const isSame = Array.isArray(value) ? isTexts(other) : typeof other === typeof value;
    return [name, isSame ? other : value];
  });
  return Object.fromEntries(entries) as Value;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
