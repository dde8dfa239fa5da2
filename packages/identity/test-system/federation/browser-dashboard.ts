/** A page that takes a token from a form, as Horizon and programs on the user's computer do. */
import { createServer } from "node:http";

import { freePort } from "../free-port.js";
import { closed } from "./browser-front.js";

export interface Dashboard {
  readonly url: string;
  /** Tokens that browsers have posted. */
  readonly tokens: string[];
  close(): Promise<void>;
}

/** @param host As browsers name it. */
export async function openDashboard(
  host: "127.0.0.1" | "[::1]" | "localhost" = "127.0.0.1",
): Promise<Dashboard> {
  const tokens: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data: Buffer) => (body += data.toString()));
    request.on("end", () => {
      const token = new URLSearchParams(body).get("token");
      if (request.method === "POST" && token !== null) tokens.push(token);
      response.setHeader("content-type", "text/html").end("<p>Welcome to the dashboard</p>");
    });
  });
  const port = await freePort();
  const address = host === "[::1]" ? "::1" : "127.0.0.1";
  await new Promise<void>((done) => server.listen(port, address, done));
  return { url: `http://${host}:${port}/auth/websso/`, tokens, close: () => closed(server) };
}
