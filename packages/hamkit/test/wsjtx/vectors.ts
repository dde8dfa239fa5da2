/**
 * Test vectors: datagrams from the tests of k0swe/wsjtx-go (Apache-2.0) and bobertlo/wsjtx-codec (MIT) and from the protocol's field
 * lists, as each row says; texts and their meaning by the message types. Gathered 2026-11-22.
 *
 * The folder beside the checkout may have more of both.
 */
import { existsSync, readFileSync } from "node:fs";

export interface DatagramVector {
  readonly id: number;
  readonly hex: string;
  readonly decoded: Readonly<Record<string, unknown>>;
  readonly note?: string;
}

export interface MessageVector {
  readonly id: number;
  readonly text: string;
  readonly mode?: string;
  readonly [member: string]: unknown;
}

export const datagramVectors: readonly DatagramVector[] = rows<DatagramVector>("datagrams.jsonl");
export const messageVectors: readonly MessageVector[] = rows<MessageVector>("messages.jsonl");

function rows<Row>(name: string): Row[] {
  const shared = new URL(`../../../../../shared/hamkit/next/wsjtx/${name}`, import.meta.url);
  const own = new URL(name, import.meta.url);
  return readFileSync(existsSync(shared) ? shared : own, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
}
