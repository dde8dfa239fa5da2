/** Explanations: the entries behind an identification, and the comparison of two sources. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { createLogXml, explain, explanationText, loadEmbeddedCountryFile } from "hamkit/lookup";

const data = fileURLToPath(new URL("../../shared/hamkit/data/", import.meta.url));
const at = new Date("2024-01-01T00:00:00Z");

/** Calls under each rule, which cost more than most calls of a contest. */
const CALLS =
  "DL1ABC 3Y0J TX5K/P HC2/DH1TW VE1CWJ/VP9 W1AW/3 3D2/R/DL1ABC KG4AB VK9XNA K5K M0ABC/MM RT9V/W2PE DH1TW-9 INVALID".split(
    " ",
  );

export async function bench({ rate, row }) {
  const table = await loadEmbeddedCountryFile();
  const calls = contestCalls();
  row({
    work: `explain, ${calls.length} ${calls === CALLS ? "calls" : "real calls"}`,
    hamkit: rate("explain", (index) => explain(calls[index], { table, at }), calls.length),
    limit: 100_000,
  });
  row({
    work: "explain, a call under each rule",
    hamkit: rate("rules", (index) => explain(CALLS[index], { table, at }), CALLS.length),
    limit: 100_000,
  });
  row({
    work: "explain and its text",
    hamkit: rate("text", (index) => explanationText(explain(CALLS[index], { table, at })), CALLS.length),
  });
  const logXml = `${data}clublog-cty-2014-04-12.xml`;
  if (!existsSync(logXml)) return;
  const tables = [table, createLogXml(readFileSync(logXml))];
  row({
    work: "explain with log XML as second source",
    hamkit: rate("two", (index) => explain(calls[index], { tables, at }), calls.length),
    limit: 100_000,
  });
}

/** Calls of a real contest, where the list is there. */
function contestCalls() {
  const list = `${data}MASTER.SCP`;
  if (!existsSync(list)) return CALLS;
  const lines = readFileSync(list, "latin1").split(/\r?\n/);
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}
