/** A double of a service over HTTP, and runs of `uploadLog` against it. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, beforeEach } from "vitest";

import type { AdifRecord } from "../../src/adif.js";
import {
  uploadLog,
  type UploadJournal,
  type UploadServiceName,
  type UploadSettings,
} from "../../src/uploads.js";

interface Reply {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

/** A service that answers one reply after the other, and the last one again. A test sets the replies. */
export class ServiceDouble {
  url = "";
  requests: { path: string; body: string; headers: IncomingMessage["headers"] }[] = [];
  replies: Reply[] = [];

  async upload(
    service: keyof typeof SETTINGS,
    records: readonly AdifRecord[],
    options: { journal?: UploadJournal; signal?: AbortSignal } = {},
  ) {
    const waits: number[] = [];
    const result = await uploadLog(records, {
      service,
      settings: { ...SETTINGS[service], url: this.url },
      wait: async (milliseconds) => void waits.push(milliseconds),
      ...options,
    });
    return { ...result, waits };
  }
}

/** For the tests of a file. */
export function serviceDouble(): ServiceDouble {
  const double = new ServiceDouble();
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      double.requests.push({
        path: request.url ?? "",
        body: Buffer.concat(pieces).toString("latin1"),
        headers: request.headers,
      });
      const reply = double.replies.length > 1 ? double.replies.shift() : double.replies[0];
      response.writeHead(reply?.status ?? 200, reply?.headers).end(reply?.body ?? "");
    });
  });
  beforeEach(async () => {
    double.requests = [];
    double.replies = [];
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    double.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  return double;
}

export const SETTINGS: Readonly<Record<Exclude<UploadServiceName, "lotw">, UploadSettings>> = {
  eqsl: { user: "DH1TW", password: "s3cret&word" },
  clublog: { email: "a@example.org", password: "s3cret&word", callsign: "DH1TW", key: "key-of-the-program" },
  qrz: { key: "AAAA-BBBB-CCCC" },
  hrdlog: { callsign: "DH1TW", code: "c0de" },
  hamqth: { user: "DH1TW", password: "s3cret&word", callsign: "DH1TW" },
  cloudlog: { key: "cl-key", station: "1" },
  wavelog: { key: "wl-key", station: "1" },
};

export function qso(call = "W1AW", fields: AdifRecord = {}): AdifRecord {
  return { CALL: call, BAND: "20m", MODE: "CW", QSO_DATE: "20240630", TIME_ON: "1200", ...fields };
}

/** A journal, and the keys that it has. */
export function journalWith(keys: Set<string>): UploadJournal {
  return { has: (key) => keys.has(key), add: (key) => void keys.add(key) };
}
