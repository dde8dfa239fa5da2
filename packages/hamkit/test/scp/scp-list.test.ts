import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ArgumentTypeError, ValueError } from "../../src/errors.js";
import { createScpList } from "../../src/scp/scp-list.js";

describe("createScpList", () => {
  it("reads header, calls and date of a file such as MASTER.SCP", () => {
    const text =
      "#\n# Release 2023.05.02.00\n# by Stu Phillips, K6TU\n#\n2D0MGV\n1N7N\nVER20230502\nZZ7ZZ\nHB50SH\n";
    const list = createScpList(text);
    expect(list.calls).toEqual(["1N7N", "2D0MGV", "HB50SH", "VER20230502", "ZZ7ZZ"]);
    expect(list.header).toEqual(["", "Release 2023.05.02.00", "by Stu Phillips, K6TU", ""]);
    expect(list.date).toBe("2023-05-02");
    expect(list.skipped).toBe(0);
  });

  it.each(["\n", "\r\n", "\r"])("reads lines that end with %j", (end) => {
    expect(createScpList(["# x", "DL1ABC", "", "K1A"].join(end)).calls).toEqual(["DL1ABC", "K1A"]);
  });

  it("has each call once, in upper case and without the blanks around it", () => {
    expect(createScpList("\uFEFFdl1abc\n DL1ABC\t\n\nDl1aBc\nDL1ABC/p").calls).toEqual([
      "DL1ABC",
      "DL1ABC/P",
    ]);
  });

  it("counts lines that are no call", () => {
    const list = createScpList("DL1ABC\nK1A\nK1B\nnot a call\nDL1ÄBC\n12345");
    expect(list.calls).toEqual(["DL1ABC", "K1A", "K1B"]);
    expect(list.skipped).toBe(3);
  });

  it("has no date if the list has none", () => {
    expect(createScpList("DL1ABC").date).toBeUndefined();
  });

  it("may be empty", () => {
    expect(createScpList("")).toMatchObject({ calls: [], header: [], skipped: 0 });
    expect(createScpList("# nothing here\r\n").calls).toEqual([]);
  });

  it("rejects a web page", () => {
    const page = "<html>\n<head><title>404 Not Found</title></head>\n<body>\nSorry\n</body>\n</html>";
    expect(() => createScpList(page)).toThrow(ValueError);
    expect(() => createScpList(undefined as unknown as string)).toThrow(ArgumentTypeError);
  });

  it("can't be changed", () => {
    const list = createScpList("DL1ABC");
    expect(Object.isFrozen(list) && Object.isFrozen(list.calls) && Object.isFrozen(list.header)).toBe(true);
  });

  it("has all calls of a text in any order", () => {
    const call = fc.stringMatching(/^[A-Z][A-Z0-9/]{2,11}$/);
    fc.assert(
      fc.property(fc.array(call), (calls) => {
        expect(createScpList(calls.join("\n")).calls).toEqual([...new Set(calls)].sort());
      }),
    );
  });
});
