import { describe, expect, it } from "vitest";

import { element, inAscii, XmlCharacterError } from "../../src/saml/xml-writing.js";

describe("XML that is written", () => {
  it("has no markup of the values in it", () => {
    const { xml } = element("a", { b: `"<&>'`, c: undefined }, "</a>&", element("d", {}, "\t\r\n"));
    expect(xml).toBe(`<a b="&quot;&lt;&amp;&gt;'">&lt;/a&gt;&amp;<d>&#x9;&#xD;&#xA;</d></a>`);
  });

  it("is made of ASCII", () => {
    expect(inAscii("<a>Grün 𝄞</a>")).toBe("<a>Gr&#xFC;n &#x1D11E;</a>");
  });

  it.each(["\u0000", "\u001B", "\uD800", "\uFFFE"])("refuses %j, which XML can't hold", (text) => {
    expect(() => element("a", {}, text)).toThrow(XmlCharacterError);
  });
});
