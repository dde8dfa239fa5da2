import { describe, expect, it } from "vitest";

import { ResponseFault, readResponse } from "../../src/callbook/callbook-client.js";

function read(text: string) {
  const answer = readResponse(new TextEncoder().encode(text), "qrzdatabase");
  return Object.fromEntries(
    [...answer].map(([section, elements]) => [section, Object.fromEntries(elements)]),
  );
}

describe("readResponse", () => {
  it("gives the texts of each section by the small letters of their names, whatever the namespace", () => {
    const text = `<?xml version="1.0" encoding="utf-8" ?>
      <q:QRZDatabase version="1.34" xmlns:q="http://xmldata.qrz.com">
        <q:Callsign><q:call>XX1XX</q:call><q:AreaCode> 602 </q:AreaCode></q:Callsign>
        <q:Session><q:Key>k</q:Key></q:Session>
      </q:QRZDatabase>`;
    expect(read(text)).toEqual({ callsign: { call: "XX1XX", areacode: "602" }, session: { key: "k" } });
  });

  it("understands CDATA, character references and the five entities of XML", () => {
    expect(
      read(
        `<QRZDatabase><Callsign><name>D&#252;r<![CDATA[ & ]]>S&amp;&lt;&gt;&quot;&apos;</name></Callsign></QRZDatabase>`,
      ),
    ).toEqual({ callsign: { name: `Dür & S&<>"'` } });
  });

  it("leaves out empty elements, what lies deeper, and repetitions", () => {
    expect(
      read(
        `<QRZDatabase><Callsign><dxcc></dxcc><iota/><a>1</a><a>2</a><b><c>3</c></b></Callsign><DXCC/></QRZDatabase>`,
      ),
    ).toEqual({ callsign: { a: "1" }, dxcc: {} });
  });

  it("takes a document with a line before its declaration", () => {
    expect(read(`\n  <?xml version="1.0"?><QRZDatabase><Session/></QRZDatabase>`)).toEqual({ session: {} });
  });

  it.each([
    ["empty", "", "the response is empty"],
    ["blank", " \n ", "the response is empty"],
    ["a web page", "<!DOCTYPE html><html><body>Maintenance<br></body></html>", "DOCTYPE"],
    ["a web page of today", "<!doctype html><html><body>Maintenance<br></body></html>", "invalid XML"],
    ["a web page without a document type", "<html>maintenance</html>", "root element is not qrzdatabase"],
    ["text", "Service unavailable", "invalid XML"],
    ["cut off", "<QRZDatabase><Callsign><call>XX1", "invalid XML"],
    ["of another service", "<HamQTH><session/></HamQTH>", "root element is not qrzdatabase"],
    ["two documents", "<QRZDatabase/><QRZDatabase/>", "invalid XML"],
    [
      "a-billion-laughs",
      `<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><QRZDatabase><Callsign><name>&b;</name></Callsign></QRZDatabase>`,
      "DOCTYPE",
    ],
    [
      "an-external-entity",
      `<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><QRZDatabase><Callsign><name>&a;</name></Callsign></QRZDatabase>`,
      "DOCTYPE",
    ],
    [
      "an-entity-without-definition",
      `<QRZDatabase><Callsign><name>&nbsp;</name></Callsign></QRZDatabase>`,
      "invalid XML",
    ],
    [
      "an-entity-named-as-a-method",
      `<QRZDatabase><Callsign><name>&toString;</name></Callsign></QRZDatabase>`,
      "invalid XML",
    ],
    ["a-prefix-without-namespace", `<x:QRZDatabase/>`, "invalid XML"],
  ])("refuses what is %s", (_, text, reason) => {
    expect(() => read(text)).toThrow(ResponseFault);
    expect(() => read(text)).toThrow(reason);
  });

  it("gives no more than texts for elements with names of methods", () => {
    expect(
      readResponse(
        new TextEncoder().encode(
          "<QRZDatabase><constructor><__proto__>x</__proto__></constructor></QRZDatabase>",
        ),
        "qrzdatabase",
      )
        .get("constructor")
        ?.get("__proto__"),
    ).toBe("x");
  });
});
