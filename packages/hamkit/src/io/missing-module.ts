/** Tells failures that another attempt doesn't change: the runtime lacks a module. */
import { IOError } from "../errors.js";

/** The optional packages that are loaded when they are used. */
export const MQTT_PACKAGE = "mqtt";

/** Whether an error is that of a module of Node in a browser, or of an optional package that is not installed. */
export function isMissingModule(error: unknown): boolean {
  return error instanceof IOError && (error.resource === MQTT_PACKAGE || error.resource.startsWith("node:"));
}
