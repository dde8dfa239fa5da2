import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import { temporaryFolder } from "../../public-files.js";
import { hamkit, hamkitJson, IN_FILE } from "../../run-cli.js";

/** A country file in which HL22 is a call: a special call of Korea without a suffix. */
const folder = temporaryFolder();
const file = (): string[] => ["--file", join(folder.path, "korea.dat")];
beforeAll(async () => {
  const entity =
    "Republic of Korea:        25:  44:  AS:   36.23:  -127.90:    -9.0:  HL:\n    6K,D7,DS,HL,=HL22;\n";
  await writeFile(join(folder.path, "korea.dat"), entity);
});

describe("hamkit without a command", () => {
  it("answers for a callsign as call does", async () => {
    for (const texts of [["dh1tw"], ["HC2/DH1TW/P"], ["DH1TW-9"], ["DH1TW", "W1AW/6"], ["QQ0QQ"]])
      expect(await hamkit([...texts, ...IN_FILE])).toEqual(await hamkit(["call", ...texts, ...IN_FILE]));
  });

  it("answers for locators as locator does", async () => {
    for (const text of ["jn48", "ip77", "AA00AA00AA"])
      expect(await hamkit([text, ...file()])).toEqual(await hamkit(["locator", text]));
  });

  it("gives both answers for a text that is a locator and a callsign", async () => {
    const { stdout, exitCode } = await hamkit(["HL22", ...file()]);
    expect(stdout).toMatch(/^HL22\n  Center {16}22\.500000° N, 35\.000000° W\n/);
    expect(stdout).toContain("\nHL22 is also a callsign in form:\n\nHL22\n  Home call ");
    expect(stdout).toContain("Country    Republic of Korea\n");
    expect(exitCode).toBe(0);
    expect(await hamkitJson(["HL22", ...file()])).toMatchObject({
      texts: [{ input: "HL22", locator: { locator: "HL22" }, call: { country: "Republic of Korea" } }],
    });
  });

  it("decides by the command: call and locator give one answer", async () => {
    expect(await hamkitJson(["call", "HL22", ...file()])).toMatchObject({
      calls: [{ country: "Republic of Korea" }],
    });
    expect(await hamkitJson(["locator", "HL22"])).toMatchObject({ locator: "HL22" });
  });

  it("gives the locator alone where the data does not know the callsign", async () => {
    expect(await hamkitJson(["QQ00", "DH1TW", ...IN_FILE])).toMatchObject({
      texts: [
        { input: "QQ00", locator: { locator: "QQ00" }, call: null },
        { input: "DH1TW", locator: null, call: { adif: 230 } },
      ],
    });
  });
});
