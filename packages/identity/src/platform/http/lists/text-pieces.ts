/**
 * Responses whose text is made in pieces, so that other requests run between them. A failure halfway breaks the connection: no client takes
 * a part for the whole.
 */
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";

import type { FastifyReply } from "fastify";

/** What replies of all routes have, whatever their schemas. */
export type Reply = Pick<FastifyReply, "raw" | "request" | "type"> & { send(payload: unknown): unknown };

/** The connection to a client that reads nothing for so long is closed. */
const MAX_STALL_MS = 60_000;
/** Characters of a text that is sent whole. */
const MAX_WHOLE_LENGTH = 65_536;

/** Sends pieces as fast as the client reads them. The type of the response is set. */
export async function streamPieces(reply: Reply, pieces: AsyncGenerator<string>): Promise<never> {
  if (reply.request.method === "HEAD") {
    // What has not begun would not end what it reads.
    await pieces.next();
    await pieces.return(undefined);
    return reply.send(Readable.from([])) as never;
  }
  reply.raw.setTimeout(MAX_STALL_MS, () => reply.raw.destroy());
  return reply.send(Readable.from(inTurns(pieces), { objectMode: false })) as never;
}

/** Sends pieces: a short text whole, so that what fails in it is an error like any other. */
export async function sendPieces(reply: Reply, pieces: AsyncGenerator<string>): Promise<never> {
  let start = "";
  while (start.length <= MAX_WHOLE_LENGTH) {
    const { done, value } = await pieces.next();
    if (done === true) return reply.send(start) as never;
    start += value;
    await nextTurn();
  }
  return streamPieces(reply, followedBy(start, pieces));
}

async function* followedBy(start: string, pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield start;
    yield* pieces;
  } finally {
    await pieces.return(undefined);
  }
}

async function* inTurns(pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  for await (const piece of pieces) {
    yield piece;
    await nextTurn();
  }
}
