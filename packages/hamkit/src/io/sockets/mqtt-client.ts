/** The optional package `mqtt`, loaded when it is used. */
import { IOError } from "../../errors.js";

/** What is called of a client of the package `mqtt`. */
export interface MqttClient {
  /** Adds a listener of an event: `connect`, `message`, `error`, `close`. */
  on(event: string, listener: (...values: never[]) => void): unknown;
  /** Subscribes to topics. */
  subscribe(topics: string[], done: (failure: Error | null) => void): unknown;
  /** Closes the connection; with `force` at once. */
  end(force: boolean): unknown;
}

/** The function `connect` of the package `mqtt`. */
export type MqttConnect = (url: string, options: Readonly<Record<string, unknown>>) => MqttClient;

/**
 * The function `connect` of the installed package.
 *
 * @throws {IOError} The package is not installed, or the runtime finds no packages, as a browser without a bundler.
 */
export async function loadMqtt(): Promise<MqttConnect> {
  try {
    // Not a literal: bundlers would look for the package in programs that don't use it.
    const module = (await import(/* @vite-ignore */ /* webpackIgnore: true */ MQTT_PACKAGE)) as {
      readonly default: { readonly connect: MqttConnect };
    };
    return module.default.connect;
  } catch (cause) {
    const reason = "the package is not installed: npm install mqtt@5, or pass its function connect";
    throw new IOError(MQTT_PACKAGE, reason, { cause });
  }
}

/** The optional packages that are loaded when they are used. */
const MQTT_PACKAGE = "mqtt";

/** Whether an error is that of a module of Node in a browser, or of an optional package that is not installed. */
export function isMissingModule(error: unknown): boolean {
  return error instanceof IOError && (error.resource === MQTT_PACKAGE || error.resource.startsWith("node:"));
}
