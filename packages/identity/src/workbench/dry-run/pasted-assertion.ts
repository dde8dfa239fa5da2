/** Reads an assertion that an author of rules pastes: the form of a login protocol, JSON of attributes, or lines. */
import type { PublicSettings } from "../../identity-providers/protocols/protocol-settings.js";
import type { ProtocolType } from "../../federation/protocols/protocol-type.js";
import {
  EXPECTED_TEXT,
  parsePasted,
  PastedAssertionError,
  pastedContent,
  type PastedAssertion,
} from "../../federation/protocols/pasted-text.js";
import type { Assertion } from "../../mappings/rules/evaluate-mapping.js";

/** The protocol whose names the attributes get. */
export interface PastingProtocol {
  readonly settings: PublicSettings | null | undefined;
  readonly remoteIdAttribute: string | null;
}

/**
 * @param protocol `undefined` for the names without settings.
 * @throws {PastedAssertionError}
 */
export function readPasted(
  text: string,
  types: readonly ProtocolType[],
  { settings, remoteIdAttribute }: PastingProtocol = { settings: undefined, remoteIdAttribute: null },
): PastedAssertion {
  const trimmed = text.trim();
  for (const each of types) {
    const naming = { settings: settings?.type === each.type ? settings : undefined, remoteIdAttribute };
    const pasted = each.readPasted?.(trimmed, naming);
    if (pasted !== undefined) return pasted;
  }
  if (!trimmed.startsWith("{")) return readLines(trimmed);
  parsePasted(trimmed, "JSON");
  const attributes = pastedContent(JSON.parse(trimmed) as Assertion);
  return { format: "json", attributes, leftOut: [] };
}

function readLines(text: string): PastedAssertion {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    if (colon < 1) throw new PastedAssertionError(`The text is no assertion: ${EXPECTED_TEXT}.`);
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
  return { format: "lines", attributes: Object.fromEntries(pairs), leftOut: [] };
}
