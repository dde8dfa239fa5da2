/** Asks the server, whose logs are watched, what stations would be. */
import type { Need } from "hamkit/awards";

import { needWords, type AskedStation, type Needed } from "./need-words.js";

/** @param url The folder of the server's live parts. */
export async function askServer(url: string, stations: readonly AskedStation[]): Promise<Needed[][]> {
  const response = await fetch(`${url}needs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(stations),
  });
  if (!response.ok) throw new Error(`${url}needs: ${response.status}`);
  return ((await response.json()) as Need[][]).map(needWords);
}
