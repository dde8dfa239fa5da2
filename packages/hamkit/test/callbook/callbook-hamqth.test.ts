import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { AnswerError, LoginError } from "../../src/errors.js";
import { createCallbook, type CallbookOptions } from "../../src/callbook/callbook.js";
import { PASSWORD, startCallbookServer, USERNAME, type CallbookServer } from "../fixtures/callbook-server.js";

const NOW = Date.UTC(2025, 0, 1);

/** An entry with the elements that HamQTH documents for developers. */
const ENTRY = `
  <callsign>n0call</callsign><nick>Jo</nick><qth>Prague</qth><country>Czech Republic</country><adif>503</adif>
  <itu>28</itu><cq>15</cq><grid>JO70GG</grid><adr_name>Jo Doe</adr_name><adr_street1>Main street 1</adr_street1>
  <adr_street2>second floor</adr_street2><adr_street3></adr_street3><adr_city>Prague</adr_city><adr_zip>01234</adr_zip>
  <adr_country>Austria</adr_country><adr_adif>206</adr_adif><district>BME</district><us_state></us_state>
  <us_county></us_county><oblast></oblast><dok></dok><iota>EU-001</iota><qsl_via>bureau</qsl_via><lotw>Y</lotw>
  <eqsl>N</eqsl><qsl>?</qsl><qsldirect>Y</qsldirect><email>jo@example.org</email><jabber>jo@example.org</jabber>
  <skype>jo</skype><birth_year>1982</birth_year><lic_year>1998</lic_year><web>https://example.org</web>
  <picture>https://example.org/jo.jpg</picture><latitude>50.25</latitude><longitude>14.5</longitude>
  <continent>EU</continent><utc_offset>-1</utc_offset><facebook>https://example.org/jo</facebook>`;

const ENTITY = `<callsign>503</callsign><name>Czech Republic</name><details>Czech Republic</details>
  <continent>EU</continent><utc>-1</utc><waz>15</waz><itu>28</itu><lat>50.1</lat><lng>14.4</lng><adif>503</adif>`;

let server: CallbookServer;
beforeEach(async () => {
  server = await startCallbookServer("hamqth");
  server.entries.set("N0CALL", ENTRY).set("503", ENTITY);
});
afterEach(() => server.close());

function hamqth(options: Partial<CallbookOptions> = {}) {
  return createCallbook({
    service: "hamqth",
    url: server.base,
    username: USERNAME,
    pwd: PASSWORD,
    warn: () => undefined,
    retryDelayMs: 1,
    ...options,
  });
}

describe("HamQTH", () => {
  it("is asked within a session, by parameters of its own", async () => {
    await hamqth().exact("N0CALL", NOW);
    expect(server.requests.map(({ url = "" }) => url.split("?")[0])).toEqual(["/xml.php", "/xml.php"]);
    expect(server.queries()).toEqual([
      { u: USERNAME, p: PASSWORD },
      { id: "0123456789abcdef-session-1", callsign: "N0CALL", prg: "hamkit" },
    ]);
  });

  it("returns the fields that all callbooks have in common", async () => {
    expect(await hamqth().exact("N0CALL", NOW)).toEqual({
      callsign: "N0CALL",
      nickname: "Jo",
      qth: "Prague",
      land: "Czech Republic",
      adif: 503,
      ituz: 28,
      cqz: 15,
      locator: "JO70GG",
      name: "Jo Doe",
      addr1: "Main street 1, second floor",
      addr2: "Prague",
      zipcode: "01234",
      country: "Austria",
      ccode: 206,
      district: "BME",
      iota: "EU-001",
      qslmgr: "bureau",
      lotw: true,
      eqsl: false,
      mqsl: true,
      email: "jo@example.org",
      born: 1982,
      licensed: 1998,
      url: "https://example.org",
      image: "https://example.org/jo.jpg",
      latitude: 50.25,
      longitude: 14.5,
      continent: "EU",
      gmtoffset: 1,
    });
  });

  it("returns the country of the callsign if the address has none", async () => {
    server.entries.set("N0CALL", "<callsign>n0call</callsign><country>Austria</country>");
    expect(await hamqth().exact("N0CALL", NOW)).toEqual({
      callsign: "N0CALL",
      country: "Austria",
      land: "Austria",
    });
  });

  it("renews a session that does not exist or expired", async () => {
    const source = hamqth();
    await source.exact("N0CALL", NOW);
    server.endSessions();
    expect(await source.exact("N0CALL", NOW)).toMatchObject({ callsign: "N0CALL" });
    expect(server.logins()).toBe(2);
  });

  it("returns nothing for a callsign that is not found", async () => {
    expect(await hamqth().exact("N9CALL", NOW)).toBeUndefined();
    expect(await hamqth().identify("N9CALL", NOW)).toEqual({ kind: "unknown" });
  });

  it("refuses a wrong user name or password once", async () => {
    const source = hamqth({ pwd: "wrong" });
    for (let time = 0; time < 3; time++)
      await expect(source.exact("N0CALL", NOW)).rejects.toBeInstanceOf(LoginError);
    expect(server.requests).toHaveLength(1);
  });

  it("looks up entities without a session", async () => {
    expect(await hamqth().entity(503)).toEqual({
      adif: 503,
      country: "Czech Republic",
      continent: "EU",
      cqz: 15,
      ituz: 28,
      timezone: 1,
      latitude: 50.1,
      longitude: 14.4,
    });
    expect(server.requests.map(({ url }) => url)).toEqual(["/dxcc.php?callsign=503"]);
  });

  it("has no entity where it took the code for a callsign", async () => {
    server.entries.set("29", ENTITY).set("30", "<callsign>30</callsign><name></name><adif>0</adif>");
    expect(await hamqth().entity(29)).toBeUndefined();
    expect(await hamqth().entity(30)).toBeUndefined();
    expect(await hamqth().entity(31)).toBeUndefined();
  });

  it("answers a web page as an AnswerError", async () => {
    server.override = (_, response) => response.end("<html>maintenance</html>");
    await expect(hamqth().exact("N0CALL", NOW)).rejects.toBeInstanceOf(AnswerError);
  });
});
