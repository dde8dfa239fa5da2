/** What comes in and is no HTTP. It never becomes a request, so its answer is written by hand. */
import type { Socket } from "node:net";

interface Refusal {
  readonly status: number;
  readonly title: string;
  readonly message: string;
}

const NO_HTTP: Refusal = { status: 400, title: "Bad Request", message: "The request is no HTTP." };
/** By what Node says of it. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    title: "Request Timeout",
    message: "The request did not come to its end in time.",
  },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    title: "Request Header Fields Too Large",
    message: "The request has too many headers, or too long ones.",
  },
  HPE_INVALID_METHOD: { ...NO_HTTP, message: "The request has a method that nobody knows." },
};

/** Answers in the envelope of all errors, and ends the connection: nobody knows where the next request would begin. */
export function answerUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, title, message } = REFUSALS[error.code ?? ""] ?? NO_HTTP;
  const body = JSON.stringify({ error: { code: status, message, title } });
  const headers = [
    `HTTP/1.1 ${status} ${title}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${headers.join("\r\n")}\r\n\r\n${body}`);
}
