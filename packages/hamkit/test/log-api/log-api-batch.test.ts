import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { AnswerError } from "../../src/errors.js";
import type { Query } from "../../src/lookup/source.js";
import { startFileServer, type FileServer } from "../fixtures/file-server.js";
import { APIKEY, logApiOf, tells, tellsEach, type Line } from "../fixtures/log-service.js";

const AT = Date.UTC(2011, 0, 12, 15, 20, 12);

let server: FileServer;
beforeEach(async () => {
  server = await startFileServer();
});
afterEach(() => server.close());

function at(callsign: string, moment = AT): Query {
  return { callsign, at: moment };
}

describe("many questions to the log service", () => {
  it("are one request, with each callsign and its second", async () => {
    const received: Line[][] = [];
    server.answers = [tellsEach(() => ({ A: 223, Z: 14, B: false }), received)];
    await logApiOf(server).identifyMany([at("g7vjr"), at("FO1AC/A/P", Date.UTC(1972, 4, 11, 3, 40, 10))]);
    const [request] = server.requests;
    expect(request?.method).toBe("POST");
    expect(request?.url).toBe(`/bulkdxcc?api=${APIKEY}`);
    expect(request?.headers["content-type"]).toContain("application/x-www-form-urlencoded");
    expect(received).toEqual([
      [
        { C: "G7VJR", T: "2011-01-12 15:20:12" },
        { C: "FO1AC/A/P", T: "1972-05-11 03:40:10" },
      ],
    ]);
  });

  it("are answered in their order, with those that need no request", async () => {
    const received: Line[][] = [];
    const codes: Record<string, number> = { G7VJR: 223, "VK3VZ/AM": 998, SWL: 1000, XX1XX: 0 };
    server.answers = [tellsEach(({ C }) => ({ A: codes[C], Z: 14 }), received)];
    const calls = ["SWL", "??", "G7VJR", "XX1XX", "vk3vz/am", "g7vjr", "QQ1QQ"];
    const answers = await logApiOf(server).identifyMany([
      ...calls.map((call) => at(call)),
      at("G7VJR", Date.UTC(1900, 0, 1)),
    ]);
    expect(
      answers.map((answer) => (answer.kind === "identified" ? answer.record.adif : answer.kind)),
    ).toEqual(["invalid-operation", "unknown", 223, "unknown", 998, 223, "unknown", "unknown"]);
    expect(received[0]?.map(({ C }) => C)).toEqual(["SWL", "G7VJR", "XX1XX", "VK3VZ/AM", "QQ1QQ"]);
    expect(answers[2]).toMatchObject({ matchedBy: "service", match: "G7VJR", source: "Club Log" });
  });

  it("go in slices, one after the other", async () => {
    const received: Line[][] = [];
    server.answers = [tellsEach(() => ({ A: 291, Z: 5 }), received)];
    const calls = Array.from({ length: 25 }, (_, index) => at(`W1A${String.fromCharCode(65 + index)}`));
    const answers = await logApiOf(server, { batchSize: 10 }).identifyMany(calls);
    expect(received.map((lines) => lines.length)).toEqual([10, 10, 5]);
    expect(answers.map((answer) => answer.kind === "identified" && answer.match)).toEqual(
      calls.map(({ callsign }) => callsign),
    );
  });

  it("have name, continent and position from the country file, which the service leaves out", async () => {
    server.answers = [
      tellsEach(({ C }) => {
        if (C === "W6ABC") return { A: 291, Z: 3, B: false };
        if (C === "IT9ABC") return { A: 248, B: true };
        // Here the service knows better than the prefix.
        return { A: 327, Z: 28, B: null };
      }),
    ];
    const [west, sicily, elsewhere] = await logApiOf(server).identifyMany(
      ["W6ABC", "IT9ABC", "DL1ABC"].map((call) => at(call)),
    );
    // The figures of AD1C's country file of 30 May 2026.
    expect(west).toMatchObject({
      record: { country: "United States", adif: 291, cqz: 3, continent: "NA", longitude: -91.87 },
    });
    expect(sicily).toMatchObject({
      record: { country: "Italy", adif: 248, cqz: 15, latitude: 37.5, longitude: 14, blocked: true },
      needsEntry: true,
    });
    expect(elsewhere).toMatchObject({
      record: { country: "Indonesia", adif: 327, cqz: 28, latitude: -7.3, longitude: 109.88 },
    });
    expect(sicily).not.toHaveProperty("record.ituz");
  });

  it("have the service's single result for deleted entities, one request each", async () => {
    const moment = Date.UTC(1980, 0, 1);
    const entity = {
      DXCC: 218,
      Name: "CZECHOSLOVAKIA",
      Lat: "50.10",
      Lon: "-14.40",
      CQZ: 15,
      Continent: "EU",
    };
    const batch = tellsEach(() => ({ A: 218, Z: 15, B: false }));
    server.answers = [
      (request, response) => (request.url?.startsWith("/bulk") ? batch : tells(entity))(request, response),
    ];
    const api = logApiOf(server);
    const answers = await api.identifyMany(["OK1ABC", "OK2DEF", "OM3XYZ"].map((call) => at(call, moment)));
    for (const answer of answers) {
      expect(answer).toMatchObject({
        record: { country: "CZECHOSLOVAKIA", adif: 218, longitude: 14.4, cqz: 15, continent: "EU" },
      });
    }
    await api.identifyMany([at("OK5XX", moment)]);
    expect(server.requests.map(({ url }) => url?.split("?")[0])).toEqual(["/bulkdxcc", "/dxcc", "/bulkdxcc"]);
  });

  it("send no request without valid queries", async () => {
    expect(await logApiOf(server).identifyMany([])).toEqual([]);
    expect(await logApiOf(server).identifyMany([at("??")])).toEqual([{ kind: "unknown" }]);
    expect(server.requests).toHaveLength(0);
  });

  const line = { C: "G7VJR", T: "2011-01-12 15:20:12", A: 223 };
  it.each([
    ["no array", { error: "x" }, "expected an array, found an object"],
    ["fewer answers than lines", [], "expected 1 entries, found 0"],
    ["more answers than lines", [line, line], "expected 1 entries, found 2"],
    ["no objects", [223], "expected an object, found 223"],
    ["another callsign", [{ ...line, C: "G3TXF" }], "expected C to be G7VJR, found another text"],
    ["another moment", [{ ...line, T: "2011-01-12" }], "expected T to be 2011-01-12 15:20:12"],
    ["a code that is none", [{ ...line, A: "England" }], "expected A to be a number from 0 to 1000"],
    ["a zone that is none", [{ ...line, Z: 99 }], "expected Z to be a number from 0 to 40, found 99"],
    ["a mark that is none", [{ ...line, B: 1 }], "expected B to be true or false, found 1"],
  ])("fail where the answer has %s", async (_, answer, message) => {
    server.answers = [tells(answer)];
    const failure: unknown = await logApiOf(server)
      .identifyMany([at("G7VJR")])
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AnswerError);
    expect(failure).toMatchObject({ message: expect.stringContaining(message) });
  });

  it("fail where the two endpoints disagree about a deleted entity", async () => {
    const batch = tellsEach(() => ({ A: 218 }));
    server.answers = [
      (request, response) =>
        (request.url?.startsWith("/bulk") ? batch : tells({ DXCC: 0 }))(request, response),
    ];
    await expect(logApiOf(server).identifyMany([at("OK1ABC")])).rejects.toThrow(
      "is entity 218 in the batch response and unknown",
    );
  });
});
