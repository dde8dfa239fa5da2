import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  PASSWORD,
  startCallbookServer,
  USERNAME,
  type CallbookServer,
} from "../../fixtures/callbook-server.js";
import { COUNTRY_FILE, hamkit, hamkitJson } from "../run-cli.js";

let server: CallbookServer;
beforeEach(async () => {
  server = await startCallbookServer();
  server.entries.set(
    "DH1TW",
    "<call>DH1TW</call><dxcc>230</dxcc><fname>Tobias</fname><addr2>Stuttgart</addr2><country>Spain</country>" +
      "<land>Germany</land><lat>48.5</lat><lon>9.375</lon><cqzone>14</cqzone><lotw>1</lotw><efdate>2000-01-20</efdate>",
  );
});
afterEach(() => server.close());

function world(env: Record<string, string> = {}) {
  return {
    env: {
      HAMKIT_CALLBOOK_USERNAME: USERNAME,
      HAMKIT_CALLBOOK_PASSWORD: PASSWORD,
      HAMKIT_CALLBOOK_URL: server.base,
      ...env,
    },
  };
}

describe("hamkit call --in callbook", () => {
  it("shows the owner of the callsign", async () => {
    const { stdout, exitCode } = await hamkit(["call", "DH1TW", "--in", "callbook"], world());
    expect(exitCode).toBe(0);
    for (const line of [
      /^ +Country +Germany$/m,
      /^ +fname +Tobias$/m,
      /^ +addr2 +Stuttgart$/m,
      /^ +lotw +yes$/m,
    ])
      expect(stdout).toMatch(line);
    expect(stdout).toMatch(/^ +efdate +2000-01-20$/m);
    expect(stdout).toContain("Data: QRZ");
  });

  it("asks HamQTH if the environment selects it", async () => {
    const hamqth = await startCallbookServer("hamqth");
    hamqth.entries.set("DH1TW", "<callsign>dh1tw</callsign><nick>Tobias</nick><country>Germany</country>");
    const env = { HAMKIT_CALLBOOK: "hamqth", HAMKIT_CALLBOOK_URL: hamqth.base };
    const { calls } = (await hamkitJson(["call", "DH1TW", "--in", "callbook"], world(env))) as {
      calls: object[];
    };
    expect(calls).toMatchObject([{ country: "Germany", details: { nickname: "Tobias" }, source: "HamQTH" }]);
    await hamqth.close();
  });

  it("takes the country of a station abroad from a country file behind it", async () => {
    const both = ["--in", `callbook,countryfile=${COUNTRY_FILE}`];
    const { calls } = (await hamkitJson(["call", "DH1TW", "HC2/DH1TW", ...both], world())) as {
      calls: object[];
    };
    expect(calls).toMatchObject([
      { country: "Germany", source: "QRZ", matchedBy: "callsign" },
      { country: "Ecuador", source: expect.stringContaining(COUNTRY_FILE) as string },
    ]);
  });

  it("reports the refused account, without its password", async () => {
    const { exitCode, stderr, stdout } = await hamkit(
      ["call", "DH1TW", "W1AW", "--in", "callbook"],
      world({ HAMKIT_CALLBOOK_PASSWORD: "s3cret" }),
    );
    expect([exitCode, stderr]).toEqual([
      3,
      'error: QRZ: the account is refused: "Username/password incorrect"\n',
    ]);
    expect(stdout + stderr).not.toContain("s3cret");
  });

  it("reports a missing account and an unknown callbook", async () => {
    const ask = (env: Record<string, string>) => hamkit(["call", "DH1TW", "--in", "callbook"], world(env));
    expect(await ask({ HAMKIT_CALLBOOK_USERNAME: "" })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("HAMKIT_CALLBOOK_USERNAME") as string,
    });
    expect(await ask({ HAMKIT_CALLBOOK: "phonebook" })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("qrz, hamqth") as string,
    });
    expect(server.requests).toHaveLength(0);
  });
});
