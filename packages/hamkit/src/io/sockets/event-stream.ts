/** Reads a stream of Server-Sent Events over HTTP, in Node and in browsers. */
import { IOError, TimeoutError } from "../../errors.js";
import { networkFailureText } from "../download.js";

export interface EventStreamOptions {
  readonly signal: AbortSignal;
  /** The server sends something, at least a comment, within this time. */
  readonly idleTimeoutMs: number;
  /** The id of the last event that was received, if any: the server continues after it. */
  readonly lastEventId: string | undefined;
  /** Called once the server has accepted the request. */
  readonly onOpen: () => void;
  readonly onEvent: (event: StreamEvent) => void;
}

/** An event without a type of its own. */
export interface StreamEvent {
  readonly data: string;
  readonly id: string | undefined;
}

/** A larger event is left out. */
const MAX_EVENT_LENGTH = 65_536;

/**
 * Reads events until the signal is aborted.
 *
 * @throws {TimeoutError} The server was silent for too long.
 * @throws {IOError} The server can't be reached, ended the stream, or sends something else.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export async function readEventStream(url: string, options: EventStreamOptions): Promise<void> {
  const { signal, idleTimeoutMs, lastEventId, onOpen, onEvent } = options;
  const ending = new AbortController();
  let isSilent = false;
  const expire = () => {
    isSilent = true;
    ending.abort();
  };
  const abort = () => ending.abort();
  let timer = setTimeout(expire, idleTimeoutMs);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    const response = await fetch(url, {
      headers: {
        accept: "text/event-stream",
        ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
      },
      signal: ending.signal,
    });
    const type = response.headers.get("content-type") ?? "none";
    if (!response.ok || response.body === null || !type.startsWith("text/event-stream")) {
      await response.body?.cancel();
      const reason = response.ok ? `content of the type ${type}` : `HTTP ${response.status}`;
      throw new IOError(url, `the server responded with ${reason}, not with events`, {
        status: response.status,
      });
    }
    onOpen();
    const parser = createEventParser(onEvent);
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(timer);
      timer = setTimeout(expire, idleTimeoutMs);
      parser.read(decoder.decode(part.value, { stream: true }));
    }
  } catch (cause) {
    if (signal.aborted) return;
    if (isSilent) throw new TimeoutError(url, `no data received for ${idleTimeoutMs} ms`);
    if (cause instanceof IOError) throw cause;
    throw new IOError(url, networkFailureText(cause), { cause });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
  if (!signal.aborted) throw new IOError(url, "the server ended the stream");
}

/** Finds the events in pieces of a stream. */
export function createEventParser(onEvent: (event: StreamEvent) => void): { read(text: string): void } {
  let rest = "";
  let data: string[] = [];
  let length = 0;
  let id: string | undefined;
  const takeLine = (line: string) => {
    if (line === "") {
      if (data.length > 0 && length <= MAX_EVENT_LENGTH) onEvent({ data: data.join("\n"), id });
      data = [];
      length = 0;
      return;
    }
    const colon = line.indexOf(":");
    const [name, value] = colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1)];
    const text = value.startsWith(" ") ? value.slice(1) : value;
    // It is sent back in a header, which any other character would make invalid for good.
    if (name === "id" && /^[ -~]{0,100}$/.test(text)) id = text;
    if (name !== "data") return;
    length += text.length;
    if (length <= MAX_EVENT_LENGTH) data.push(text);
  };
  return {
    read(text) {
      const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      for (const line of lines) takeLine(line);
      if (rest.length <= MAX_EVENT_LENGTH) return;
      // The rest of the line begins with a name that is none.
      rest = "";
      length = MAX_EVENT_LENGTH + 1;
    },
  };
}
