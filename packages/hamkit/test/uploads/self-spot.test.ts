/** POTA and SOTA over HTTP, with the requests and answers of their own pages and of public clients. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ValueError } from "../../src/errors.js";
import { selfSpot, type SelfSpot } from "../../src/uploads.js";
import { hamkit, hamkitJson } from "../cli/run-cli.js";

interface Reply {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

let requests: { path: string; body: string; headers: IncomingMessage["headers"] }[];
let replies: Record<string, Reply>;
let url: string;
const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (text: string) => (body += text));
  request.on("end", () => {
    const path = request.url ?? "";
    requests.push({ path, body, headers: request.headers });
    const { status = 200, headers, body: text } = replies[path] ?? { status: 404 };
    response.writeHead(status, headers).end(text);
  });
});
beforeEach(async () => {
  requests = [];
  replies = {};
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/spots`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

const POTA: SelfSpot = {
  program: "pota",
  reference: "de-0123",
  call: "dh1tw/p",
  frequencyKHz: 14_285.5,
  mode: "SSB",
  comment: "QRP",
};
const SOTA: SelfSpot = { ...POTA, program: "sota", reference: "DM/BW-001", frequencyKHz: 7032, mode: "cw" };
const account = () => ({ clientId: "hamkit-test", user: "dh1tw", password: "s3cret&word", url });
/** Keycloak's, and SOTA's answer to a spot. */
const TOKENS = {
  body: JSON.stringify({ access_token: "acc.ess-tok", id_token: "id.tok_en", expires_in: 300 }),
};
const SPOTTED = { body: '{"id":364150,"activatorCallsign":"DH1TW/P","summitCode":"BW-001"}' };

describe("POTA", () => {
  it("is sent the fields of its own form, and answers with all spots", async () => {
    replies = { "/spots": { body: '[{"spotId":1,"activator":"K7CAR"}]' } };
    expect(await selfSpot(POTA, { settings: { url } })).toEqual({ kind: "accepted", reason: "" });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "hamkit",
    });
    expect(requests[0]?.headers).not.toHaveProperty("authorization");
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual({
      activator: "DH1TW/P",
      spotter: "DH1TW/P",
      frequency: "14285.5",
      reference: "DE-0123",
      mode: "SSB",
      source: "hamkit",
      comments: "QRP",
    });
  });

  it.each([
    [{ qrt: true }, "QRT QRP"],
    [{ qrt: true, comment: "going qrt, tnx" }, "going qrt, tnx"],
    [{ qrt: true, comment: undefined }, "QRT"],
  ] as const)("is told the end of an activation in the comment: %j", async (more, comments) => {
    replies = { "/spots": { body: "[]" } };
    await selfSpot({ ...POTA, ...more }, { settings: { url } });
    expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({ comments });
  });

  it.each([
    [{ status: 400, body: "Invalid park reference" }, "rejected", "Invalid park reference"],
    [{ status: 403, body: '{"message":"Forbidden"}' }, "login-failed", '{"message":"Forbidden"}'],
    [{ status: 502, body: "" }, "unavailable", "HTTP 502"],
    [{ body: "<!doctype html><p>Hotel network" }, "unavailable", "Hotel network"],
  ] as const)("is asked once where it answers %j", async (reply, kind, reason) => {
    replies = { "/spots": reply };
    expect(await selfSpot(POTA, { settings: { url } })).toEqual({ kind, reason });
    expect(requests).toHaveLength(1);
  });
});

describe("SOTA", () => {
  it("is sent a spot with the tokens of a login", async () => {
    replies = { "/token": TOKENS, "/spots": SPOTTED };
    expect(await selfSpot(SOTA, { settings: account() })).toEqual({ kind: "accepted", reason: "" });
    expect(requests.map(({ path }) => path)).toEqual(["/token", "/spots"]);
    expect(Object.fromEntries(new URLSearchParams(requests[0]?.body))).toEqual({
      grant_type: "password",
      scope: "openid",
      client_id: "hamkit-test",
      username: "dh1tw",
      password: "s3cret&word",
    });
    expect(requests[1]?.headers).toMatchObject({
      authorization: "bearer acc.ess-tok",
      id_token: "id.tok_en",
    });
    expect(JSON.parse(requests[1]?.body ?? "")).toEqual({
      id: 0,
      associationCode: "DM",
      summitCode: "BW-001",
      activatorCallsign: "DH1TW/P",
      frequency: "7.032",
      mode: "CW",
      comments: "QRP",
      type: "NORMAL",
    });
    expect(requests[1]?.body).not.toContain("s3cret");
  });

  it.each([
    ["USB", "SSB"],
    ["FT8", "Data"],
    ["DMR", "DV"],
    ["FM", "FM"],
  ])("has the mode of %s as %s", async (mode, sent) => {
    replies = { "/token": TOKENS, "/spots": SPOTTED };
    await selfSpot({ ...SOTA, mode, qrt: true }, { settings: account() });
    expect(JSON.parse(requests[1]?.body ?? "")).toMatchObject({ mode: sent, type: "QRT" });
  });

  it.each([
    [
      "a wrong password",
      { status: 401, body: '{"error":"invalid_grant","error_description":"Invalid user credentials"}' },
      "login-failed",
    ],
    [
      "a client that may not log in so",
      { status: 400, body: '{"error":"unauthorized_client"}' },
      "login-failed",
    ],
    ["a login that is down", { status: 503, body: "" }, "unavailable"],
    ["a login without tokens", { body: "{}" }, "unavailable"],
    ["a token that is none", { body: '{"access_token":"a\\r\\nx: y","id_token":"b"}' }, "unavailable"],
    ["a page", { body: "<html>log in as dh1tw with s3cret&word</html>" }, "unavailable"],
    ["a redirect", { status: 307, headers: { location: "/spots" } }, "unavailable"],
  ])("is sent no spot after %s", async (_, reply, kind) => {
    replies = { "/token": reply, "/spots": SPOTTED };
    const answer = await selfSpot(SOTA, { settings: account() });
    expect(answer.kind).toBe(kind);
    expect(answer.reason).not.toContain("s3cret");
    expect(requests.map(({ path }) => path)).toEqual(["/token"]);
  });

  it("keeps tokens out of what it says, and follows no redirect with them", async () => {
    replies = { "/token": TOKENS, "/spots": { status: 401, body: "expired: acc.ess-tok and id.tok_en" } };
    expect(await selfSpot(SOTA, { settings: account() })).toEqual({
      kind: "login-failed",
      reason: "expired: *** and ***",
    });
    replies["/spots"] = { status: 308, headers: { location: "http://127.0.0.1:9/" } };
    expect(await selfSpot(SOTA, { settings: account() })).toMatchObject({ kind: "unavailable" });
  });
});

describe("a spot", () => {
  it.each([
    ["reference", { reference: "DM/BW-001" }, "a park such as DE-0123"],
    ["reference", { program: "sota" }, "a summit such as DM/BW-001"],
    ["call", { call: "TEST" }, "a callsign"],
    ["frequencyKHz", { frequencyKHz: 14.285 }, "a frequency of a band, in kHz"],
    ["frequencyKHz", { frequencyKHz: Number.NaN }, "a frequency of a band, in kHz"],
    ["mode", { mode: "" }, "a mode"],
    ["comment", { comment: "a\nb" }, "one line"],
    ["comment", { comment: "x".repeat(101) }, "one line of at most 100 characters"],
    ["program", { program: "wwff" as "pota" }, "pota, sota"],
  ] as const)("with a wrong %s is not sent: %j", async (argument, more, expected) => {
    const failure = selfSpot({ ...POTA, ...more }, { settings: { url } });
    await expect(failure).rejects.toThrow(ValueError);
    await expect(failure).rejects.toMatchObject({
      argument,
      expected: expect.stringContaining(expected) as string,
    });
    expect(requests).toEqual([]);
  });

  it("for SOTA needs an account", async () => {
    await expect(selfSpot(SOTA, { settings: { url } })).rejects.toThrow("the setting clientId of SOTA");
  });
});

describe("hamkit selfspot", () => {
  const words = ["selfspot", "pota", "DE-0123", "14.2855MHz", "ssb", "--call", "DH1TW/P", "--comment", "QRP"];
  const env = () => ({ HAMKIT_POTA_URL: url });

  it.each(["y", "Yes "])("sends after the answer %j", async (answer) => {
    replies = { "/spots": { body: "[]" } };
    const questions: string[] = [];
    const ask = async (question: string) => {
      questions.push(question);
      return answer;
    };
    expect(await hamkit(words, { env: env(), io: { ask } })).toEqual({
      exitCode: 0,
      stdout: "POTA: spotted DH1TW/P at DE-0123, 14285.5 kHz, SSB, QRP\n",
      stderr: "",
    });
    expect(questions).toEqual(["POTA: DH1TW/P at DE-0123, 14285.5 kHz, SSB, QRP. Send? [y/N] "]);
    expect(requests).toHaveLength(1);
  });

  it.each(["", "n", "yesterday"])("sends nothing after %j", async (answer) => {
    const outcome = await hamkit(words, { env: env(), io: { ask: async () => answer } });
    expect(outcome).toEqual({ exitCode: 1, stdout: "Nothing was sent.\n", stderr: "" });
    expect(requests).toEqual([]);
  });

  it("sends nothing by itself without a terminal", async () => {
    expect(await hamkit(words, { env: env() })).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: "error: a spot is sent after a question at the terminal; --yes sends it without\n",
    });
    expect(requests).toEqual([]);
    replies = { "/spots": { status: 400, body: "Invalid park" } };
    expect(await hamkitJson([...words, "--yes"], { env: env() })).toMatchObject({
      spot: { reference: "DE-0123", frequencyKHz: 14_285.5 },
      sent: false,
      kind: "rejected",
      reason: "Invalid park",
    });
  });

  it("reads SOTA's account, and names what is missing", async () => {
    replies = { "/token": TOKENS, "/spots": SPOTTED };
    const sota = ["selfspot", "sota", "DM/BW-001", "7032", "CW", "--call", "DH1TW", "--yes"];
    expect(await hamkit(sota)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        "SOTA: set HAMKIT_SOTA_CLIENT_ID, HAMKIT_SOTA_USER, HAMKIT_SOTA_PASSWORD in the environment",
      ) as string,
    });
    const { clientId, user, password } = account();
    const settings = {
      HAMKIT_SOTA_CLIENT_ID: clientId,
      HAMKIT_SOTA_USER: user,
      HAMKIT_SOTA_PASSWORD: password,
      HAMKIT_SOTA_URL: url,
    };
    expect((await hamkit(sota, { env: settings })).stdout).toBe(
      "SOTA: spotted DH1TW at DM/BW-001, 7032 kHz, CW\n",
    );
    replies["/token"] = { status: 401, body: "no s3cret&word" };
    expect(await hamkit(sota, { env: settings })).toEqual({
      exitCode: 3,
      stdout: "SOTA: login-failed: no ***\n",
      stderr: "",
    });
  });

  it("refuses what is no spot before it asks", async () => {
    const ask = async () => {
      throw new Error("asked");
    };
    const wrong = await hamkit(["selfspot", "pota", "DE-0123", "14.285", "SSB", "--call", "DH1TW"], {
      io: { ask },
    });
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stderr).toContain("frequencyKHz: 14.285 is not a frequency of a band, in kHz");
  });
});
