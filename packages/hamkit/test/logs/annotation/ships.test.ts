/** Ships are in no entity, whatever source is asked: /MM, /AM, and the prefixes VE0 and EL0. */
import { afterEach, describe, expect, it } from "vitest";

import { createCallbook } from "../../../src/callbook/callbook.js";
import { annotateLog } from "../../../src/logs.js";
import { createAnnotation, type AnnotatedLog } from "../../../src/logs/annotation/annotation.js";
import type { StationRecord } from "../../../src/logs/annotation/qso-facts.js";
import { createCountryFile, loadEmbeddedCountryFile, type TableSource } from "../../../src/lookup.js";
import { askMany } from "../../../src/lookup/ask-many.js";
import type { Identification, Query } from "../../../src/lookup/source.js";
import { PASSWORD, startCallbookServer, USERNAME } from "../../fixtures/callbook-server.js";
import { startFileServer } from "../../fixtures/file-server.js";
import { ENGLAND, logApiOf, tells, tellsEach } from "../../fixtures/log-service.js";
import { smallLogXml } from "../../kvstore/kvstore-contract.js";
import { logOf, pairs } from "../log-text.js";

const SHIPS = ["VE0MM", "ve0mm", "VE0ABC/P", "VE0MM/MM", "EL0AB"];
const ON_LAND = { DXCC: 1, Name: "CANADA", Lat: "45.00", Lon: "75.00", CQZ: 5, Continent: "NA" };

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const logWith = (call: string) =>
  logOf([
    { name: "CALL", value: call },
    { name: "QSO_DATE", value: "20240101" },
    { name: "TIME_ON", value: "1200" },
  ]);

/** What the annotation adds. */
function addedTo({ log }: AnnotatedLog): Record<string, string> {
  const [qso = { fields: [] }] = log.qsos;
  const added = pairs(qso).filter(([name = ""]) => !["CALL", "QSO_DATE", "TIME_ON"].includes(name));
  return Object.fromEntries(added) as Record<string, string>;
}

/** An annotation as that of `hamkit annotate`, with a service. */
async function annotateBy(
  call: string,
  ask: (queries: readonly Query[]) => Promise<Identification<StationRecord>[]>,
): Promise<Record<string, string>> {
  const log = logWith(call);
  const annotation = createAnnotation(log, {
    from: { latitude: 48.5, longitude: 9.4 },
    now: Date.UTC(2024, 0, 1),
    overwrite: false,
    entityName: () => undefined,
  });
  for (const qso of log.qsos) {
    const query = annotation.query(qso);
    const [other] = await ask([{ callsign: call, at: query.at }]);
    annotation.apply(qso, query, { other, own: undefined });
  }
  return addedTo(annotation.finish());
}

const TABLES: readonly (readonly [string, () => Promise<TableSource>])[] = [
  ["the embedded country file", loadEmbeddedCountryFile],
  [
    "a country file that lists VE0 with Canada",
    async () =>
      createCountryFile(
        new TextEncoder().encode(
          "Canada:                   05:  09:  NA:   44.35:    78.75:     5.0:  VE:\n    VE,VE0,VA;\n" +
            "Liberia:                  35:  46:  AF:    6.50:     9.50:     0.0:  EL:\n    EL,EL0;\n",
        ),
      ),
  ],
  ["log XML", async () => smallLogXml()],
];

describe.each(TABLES)("ships in %s", (name, open) => {
  it.each(SHIPS)("%s is in no entity", async (call) => {
    const table = await open();
    const added = addedTo(annotateLog(logWith(call), { table, locator: "JN48QM" }));
    // The small log XML knows nothing of Liberia.
    const isUnknown = name === "log XML" && call.startsWith("EL0");
    expect(added).toEqual(isUnknown ? {} : { DXCC: "0" });
  });
});

describe("ships in the log service's API", () => {
  it.each([...SHIPS, "DL1ABC/MM"])("%s is in no entity, also where the service says Canada", async (call) => {
    const server = await startFileServer();
    cleanups.push(() => server.close());
    const source = logApiOf(server);
    server.answers = [tellsEach(() => ({ A: 1, Z: 5 }))];
    expect(await annotateBy(call, (queries) => source.identifyMany(queries))).toEqual({ DXCC: "0" });
    server.answers = [tells({ ...ENGLAND, ...ON_LAND })];
    const single = async ([query]: readonly Query[]) => [
      await source.identify(query?.callsign ?? "", query?.at ?? 0),
    ];
    expect(await annotateBy(call, single)).toEqual({ DXCC: "0" });
    server.answers = [tells({ DXCC: 999, Name: "" })];
    expect(await annotateBy(call, single)).toEqual({ DXCC: "0" });
  });
});

describe("ships in a callbook", () => {
  it.each([...SHIPS, "DL1ABC/AM"])("%s is in no entity, though its owner lives in Canada", async (call) => {
    const server = await startCallbookServer();
    cleanups.push(() => server.close());
    for (const entry of [call.toUpperCase(), call.toUpperCase().split("/")[0] ?? ""])
      server.entries.set(
        entry,
        `<call>${entry}</call><dxcc>1</dxcc><land>Canada</land><lat>45</lat><lon>-75</lon><cqzone>5</cqzone>`,
      );
    const source = createCallbook({
      url: server.base,
      username: USERNAME,
      pwd: PASSWORD,
      warn: () => undefined,
      retryDelayMs: 1,
    });
    expect(await annotateBy(call, async (queries) => askMany(source, queries))).toEqual({ DXCC: "0" });
  });

  it("a station ashore is where it is", async () => {
    const table = await loadEmbeddedCountryFile();
    expect(addedTo(annotateLog(logWith("VE3ABC/0"), { table }))).toMatchObject({ DXCC: "1" });
    expect(addedTo(annotateLog(logWith("VE0MM/KH6"), { table }))).toMatchObject({ DXCC: "110" });
  });
});

it("the log XML of the test has VE0", () => {
  expect(smallLogXml().prefix("VE0", Date.UTC(2024, 0, 1))).toMatchObject({ adif: 999 });
});
