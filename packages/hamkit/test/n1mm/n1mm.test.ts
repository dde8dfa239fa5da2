/** Messages as N1MM's documentation shows them (External UDP Broadcasts). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ENUMERATIONS, MODES } from "../../src/adif.js";
import { contestOfN1mm, decodeN1mm, encodeN1mm, recordOfN1mm, type N1mmContact } from "../../src/n1mm.js";

const CONTACT = `<?xml version="1.0" encoding="utf-8"?>
<contactinfo>
	<app>N1MM</app>
	<contestname>CWOPS</contestname>
	<contestnr>73</contestnr>
	<timestamp>2020-01-17 16:43:38</timestamp>
	<mycall>W2XYZ</mycall>
	<band>3.5</band>
	<rxfreq>352519</rxfreq>
	<txfreq>352519</txfreq>
	<operator></operator>
	<mode>CW</mode>
	<call>W1AW</call>
	<countryprefix>K</countryprefix>
	<wpxprefix>W1</wpxprefix>
	<stationprefix>W2XYZ</stationprefix>
	<continent>NA</continent>
	<snt>599</snt>
	<sntnr>5</sntnr>
	<rcv>599</rcv>
	<rcvnr>0</rcvnr>
	<gridsquare></gridsquare>
	<exchange1>TOM &amp; CT</exchange1>
	<section></section>
	<comment></comment>
	<points>1</points>
	<radionr>1</radionr>
	<ID>f9ffac4fcd3e479ca86e137df1338531</ID>
</contactinfo>`;

describe("decodeN1mm", () => {
  it("reads a contact", () => {
    const message = decodeN1mm(new TextEncoder().encode(CONTACT));
    expect(message).toMatchObject({
      kind: "contactinfo",
      id: "f9ffac4fcd3e479ca86e137df1338531",
      call: "W1AW",
      myCall: "W2XYZ",
      time: new Date("2020-01-17T16:43:38Z"),
      frequencyHz: 3_525_190,
      mode: "CW",
    });
    expect(recordOfN1mm(message as N1mmContact)).toEqual({
      CALL: "W1AW",
      STATION_CALLSIGN: "W2XYZ",
      QSO_DATE: "20200117",
      TIME_ON: "164338",
      BAND: "80m",
      FREQ: "3.52519",
      MODE: "CW",
      RST_SENT: "599",
      STX: "5",
      RST_RCVD: "599",
      SRX_STRING: "TOM & CT",
      PFX: "W1",
      CONT: "NA",
      CONTEST_ID: "CWOPS-CWT",
      APP_N1MM_CONTEST: "CWOPS",
      APP_N1MM_POINTS: "1",
      APP_N1MM_ID: "f9ffac4fcd3e479ca86e137df1338531",
    });
  });

  it("reads deletions, spots and the state of radios", () => {
    const deleted =
      "<contactdelete><app>N1MM</app><timestamp>2020-01-17 16:43:38</timestamp><call>W1AW</call><contestnr>73</contestnr><StationName>X</StationName><ID>ab</ID></contactdelete>";
    expect(decodeN1mm(deleted)).toMatchObject({ kind: "contactdelete", call: "W1AW", id: "ab" });
    const spot =
      "<spot><app>N1MM</app><StationName>X</StationName><dxcall>9M2R</dxcall><frequency>14025,5</frequency><spottercall>W2XYZ-#</spottercall><comment>cq</comment><action>add</action><timestamp>2020-01-17 16:43:38</timestamp></spot>";
    expect(decodeN1mm(spot)).toMatchObject({
      kind: "spot",
      action: "add",
      call: "9M2R",
      frequencyHz: 14_025_500,
      spotter: "W2XYZ-#",
    });
    expect(decodeN1mm(spot.replace(">add<", ">delete<"))).toMatchObject({ action: "delete" });
    const radio =
      "<RadioInfo><app>N1MM</app><RadioNr>2</RadioNr><Freq>2123456</Freq><TXFreq>2123456</TXFreq><Mode>USB</Mode><OpCall>W2XYZ</OpCall><IsRunning>True</IsRunning><IsTransmitting>False</IsTransmitting></RadioInfo>";
    expect(decodeN1mm(radio)).toMatchObject({
      kind: "radioinfo",
      radio: 2,
      frequencyHz: 21_234_560,
      mode: "USB",
      operator: "W2XYZ",
      isRunning: true,
      isTransmitting: false,
    });
    expect(decodeN1mm("<dynamicresults><call>W1AW</call></dynamicresults>")).toMatchObject({
      kind: "other",
      name: "dynamicresults",
    });
  });

  it("throws nothing for what is none of N1MM's", () => {
    for (const text of [
      "",
      "x",
      "<contactinfo>",
      "<contactinfo></contactinfo>",
      "<spot></radioinfo>",
      `<a>${"x".repeat(70_000)}</a>`,
    ])
      expect(decodeN1mm(text).kind).toBe("invalid");
    const part = fc.constantFrom(
      "<contactinfo>",
      "</contactinfo>",
      "<call>",
      "</call>",
      "W1AW",
      "<",
      "&#0;",
      "\0",
      "<?xml ",
    );
    const text = fc.oneof(
      fc.array(part).map((parts) => parts.join("")),
      fc.uint8Array(),
    );
    expect(() => fc.assert(fc.property(text, (each) => void decodeN1mm(each)))).not.toThrow();
    expect(
      decodeN1mm(`<contactinfo><__proto__>x</__proto__><constructor>y</constructor></contactinfo>`).kind,
    ).toBe("invalid");
  });

  it("takes linear time for elements without an end", () => {
    const start = performance.now();
    decodeN1mm(`<spot>${"<a>".repeat(20_000)}</spot>`);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

/** As N1MM's page shows it, with its slips: an element that is not closed, and a letter l for the digit 1. */
const DOCUMENTED = `${CONTACT.replace("</contactinfo>", "").replace(/exchange1>/g, "exchangel>")}
	<run1run2>1<run1run2>
	<IsOriginal>False</IsOriginal>
	<NetBiosName></NetBiosName>
	<SentExchange />
	<StationName>CONTEST-PC</StationName>
	<IsClaimedQso>0</IsClaimedQso>
	<oldtimestamp>2020-01-17 16:40:00</oldtimestamp>
	<oldcall>W1AX</oldcall>
</contactinfo>`;

describe("a contact", () => {
  it("of the documentation is read", () => {
    expect(decodeN1mm(DOCUMENTED)).toMatchObject({
      kind: "contactinfo",
      call: "W1AW",
      radio: 1,
      isOriginal: false,
      oldCall: "W1AX",
      oldTime: new Date("2020-01-17T16:40:00Z"),
    });
    expect(recordOfN1mm(decodeN1mm(DOCUMENTED) as N1mmContact)).toMatchObject({
      SRX_STRING: "TOM & CT",
      CONTEST_ID: "CWOPS-CWT",
      APP_N1MM_CONTEST: "CWOPS",
      APP_N1MM_ISCLAIMEDQSO: "0",
    });
    expect(decodeN1mm(CONTACT)).not.toHaveProperty("oldCall");
    expect(decodeN1mm(CONTACT)).toHaveProperty("isOriginal", true);
    // RUMlog's.
    expect(decodeN1mm(DOCUMENTED.replace(">False<", ">YES<"))).toHaveProperty("isOriginal", true);
  });

  const record = (fields: Record<string, string>) => {
    const elements = { call: "W1AW", timestamp: "2024-06-30 12:00:00", ...fields };
    const text = Object.entries(elements).map(([name, value]) => `<${name}>${value}</${name}>`);
    return recordOfN1mm(decodeN1mm(`<contactinfo>${text.join("")}</contactinfo>`) as N1mmContact);
  };

  // The modes of N1MM's page of UDP messages that ADIF 3.1.7 has as submodes.
  it.each([
    ["USB", "SSB"],
    ["LSB", "SSB"],
    ["PSK250", "PSK"],
    ["QPSK31", "PSK"],
    ["QPSK250", "PSK"],
    ["MFSK16", "MFSK"],
    ["FT4", "MFSK"],
    ["FMHELL", "HELL"],
    ["HELL80", "HELL"],
    ["THRBX", "THRB"],
  ])("in %s has the mode %s of ADIF", (mode, main) => {
    expect(record({ mode })).toMatchObject({ MODE: main, SUBMODE: mode });
    expect(MODES.find((each) => each.mode === main)?.submodes).toContain(mode);
  });

  it.each(["CW", "RTTY", "FT8", "FM", "AM", "HELL", "MT63", "THOR", "THRB", "OLIVIA", "DOMINO"])(
    "in %s has that mode",
    (mode) => {
      expect(record({ mode })).toMatchObject({ MODE: mode });
      expect(record({ mode })).not.toHaveProperty("SUBMODE");
      expect(MODES.map((each) => each.mode)).toContain(mode);
    },
  );

  it.each([
    ["CQWWSSB", "CQ-WW-SSB"],
    ["CQWPXCW", "CQ-WPX-CW"],
    ["NAQPCW", "NAQP-CW"],
    ["ARRLVHFJUN", "ARRL-VHF-JUN"],
    ["FD", "ARRL-FIELD-DAY"],
    ["CQ-WW-CW", "CQ-WW-CW"], // DXLog's
    ["DX", undefined],
    ["toString", undefined],
    ["", undefined],
  ])("of %s has CONTEST_ID %s", (contestname, id) => {
    expect(record({ contestname })["CONTEST_ID"]).toBe(id);
    expect(contestOfN1mm(contestname)).toBe(id);
  });

  it("has ARRL_SECT only in contests with sections, and a power that is a number", () => {
    expect(record({ contestname: "FD", section: "EMA" })).toMatchObject({ ARRL_SECT: "EMA" });
    // A state, in N1MM's section.
    expect(record({ contestname: "NAQPCW", section: "CT" })).toMatchObject({ APP_N1MM_SECTION: "CT" });
    expect(record({ contestname: "NAQPCW", section: "CT" })).not.toHaveProperty("ARRL_SECT");
    expect(record({ power: "100" })).toMatchObject({ RX_PWR: "100" });
    expect(record({ power: "KW" })).toMatchObject({ APP_N1MM_POWER: "KW" });
  });

  it.each([
    ["3,5", "80m"],
    ["1.8", "160m"],
    ["24", "12m"],
    ["144", "2m"],
    ["x", undefined],
  ])("without a frequency has the band of %s MHz", (band, adif) => {
    expect(record({ band, txfreq: "0" })["BAND"]).toBe(adif);
    expect(record({ band: "14", txfreq: "700000" })["BAND"]).toBe("40m");
  });
});

describe("contestOfN1mm", () => {
  it("knows each of its contests by one name, and ADIF has it", () => {
    const codes = ENUMERATIONS.Contest_ID?.map(({ code }) => code) ?? [];
    const known = codes.filter((code) => contestOfN1mm(code.replaceAll("-", "")) === code);
    expect(known.length).toBeGreaterThan(35);
    for (const code of known)
      expect(codes.filter((other) => other.replaceAll("-", "") === code.replaceAll("-", ""))).toEqual([code]);
  });
});

describe("encodeN1mm", () => {
  it("writes what it reads", () => {
    const contact = decodeN1mm(CONTACT) as N1mmContact;
    expect(decodeN1mm(encodeN1mm({ ...contact, kind: "contactreplace" }))).toEqual({
      ...contact,
      kind: "contactreplace",
      fields: { ...contact.fields, isoriginal: "True" },
    });
    const time = new Date("2024-06-30T12:00:00Z");
    const spot = {
      kind: "spot",
      action: "add",
      call: "W1AW",
      frequencyHz: 14_025_500,
      spotter: "DH1TW",
      comment: "a < b & c",
      time,
    } as const;
    expect(decodeN1mm(encodeN1mm(spot))).toMatchObject(spot);
    const radio = {
      kind: "radioinfo",
      radio: 1,
      frequencyHz: 7_012_340,
      txFrequencyHz: 7_015_000,
      mode: "CW",
      operator: "DH1TW",
      isRunning: false,
      isTransmitting: true,
    } as const;
    expect(decodeN1mm(encodeN1mm(radio))).toMatchObject({ ...radio, activeRadio: 1, isSplit: true });
    const second = { ...radio, radio: 2, activeRadio: 1, isSplit: false };
    expect(decodeN1mm(encodeN1mm(second))).toMatchObject(second);
    expect(new TextDecoder().decode(encodeN1mm(radio))).toMatch(
      /^<\?xml version="1\.0" encoding="utf-8"\?>\r\n<RadioInfo>/,
    );
    // RUMlog drops what is not of N1MM.
    expect(new TextDecoder().decode(encodeN1mm(radio))).toContain("<app>N1MM</app>");
  });
});
