import { describe, expect, it } from "vitest";

import { layOutTable, printable, type Column } from "../../../src/cli/terminal/table.js";

interface Row {
  readonly name: string;
  readonly size: number;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: "Name", cell: ({ name }) => name },
  { title: "Size", cell: ({ size }) => String(size), align: "right", dispensable: 2 },
  { title: "Twice", cell: ({ size }) => String(2 * size), align: "right", dispensable: 1 },
];

const ROWS = [{ row: { name: "Öland", size: 7 } }, { row: { name: "Rügen and Usedom", size: 12345 } }];

const ink = (_style: string, text: string) => text;

describe("layOutTable", () => {
  it("lines columns up by what they hold", () => {
    expect(layOutTable(ROWS, COLUMNS, { ink })).toEqual({
      lines: [
        "Name               Size  Twice",
        "Öland                 7     14",
        "Rügen and Usedom  12345  24690",
      ],
      omitted: [],
    });
  });

  it("leaves out the most dispensable columns until the rest fits, and never the others", () => {
    expect(layOutTable(ROWS, COLUMNS, { ink, width: 30 }).omitted).toEqual([]);
    expect(layOutTable(ROWS, COLUMNS, { ink, width: 29 }).omitted).toEqual(["Twice"]);
    expect(layOutTable(ROWS, COLUMNS, { ink, width: 22 }).omitted).toEqual(["Size", "Twice"]);
    expect(layOutTable(ROWS, COLUMNS, { ink, width: 5 }).lines[0]).toBe("Name");
  });

  it("puts a remark in the place of cells, without widening their columns", () => {
    const rows = [...ROWS, { first: "Atlantis", remark: "was not found anywhere so far" }];
    expect(layOutTable(rows, COLUMNS, { ink }).lines).toEqual([
      "Name               Size  Twice",
      "Öland                 7     14",
      "Rügen and Usedom  12345  24690",
      "Atlantis          was not found anywhere so far",
    ]);
  });
});

describe("printable", () => {
  it("cuts long text and counts characters rather than their halves", () => {
    expect(printable("x".repeat(40))).toBe("x".repeat(40));
    expect(printable("x".repeat(41))).toBe(`${"x".repeat(37)}...`);
    expect(printable("😀".repeat(40))).toBe("😀".repeat(40));
  });
});
