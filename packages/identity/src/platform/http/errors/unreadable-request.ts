/** Responds to input that is not valid HTTP. It never becomes a request, so the response is written to the socket. */
import type { Socket } from "node:net";

interface Refusal {
  readonly status: number;
  readonly title: string;
  readonly message: string;
}

const NO_HTTP: Refusal = { status: 400, title: "Bad Request", message: "The request is not valid HTTP." };
/** By the code of Node's error. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    title: "Request Timeout",
    message: "The request was not complete in time.",
  },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    title: "Request Header Fields Too Large",
    message: "The request headers are too large.",
  },
  HPE_INVALID_METHOD: { ...NO_HTTP, message: "The request method is unknown." },
};

/** Responds in Keystone's envelope and closes the connection, in which the next request can't be found. */
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
