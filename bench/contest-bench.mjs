/** Contests: is it a dupe, is it a multiplier; contacts that are counted; a log that is scored. */
import { CONTEST_RULES, createContest, scoreContestLog } from "hamkit/contest";
import { loadEmbeddedCountryFile } from "hamkit/lookup";
import { readLog } from "hamkit/logs";

import { bestTime, letters } from "./log-file.mjs";

const COUNT = 10_000;

export async function bench({ rate, row }) {
  const table = await loadEmbeddedCountryFile();
  const rule = CONTEST_RULES.find(({ id }) => id === "CQ-WW");
  const options = { my: { call: "DL1ABC" }, table };
  const contacts = Array.from({ length: COUNT }, (_, index) => ({
    call: `${["K", "JA", "F", "UA", "VK", "PY"][index % 6]}${index % 10}${letters(index * 7)}`,
    band: ["20m", "40m", "15m", "10m", "80m"][Math.floor(index / 50) % 5],
    mode: "CW",
  }));
  const contest = createContest(rule, options);
  for (const [index, contact] of contacts.entries()) if (index % 2 === 0) contest.add(contact);
  row({
    work: "dupe or multiplier, of spots in CQ WW",
    hamkit: rate("ask", (index) => contest.ask(contacts[index]), COUNT),
    limit: 1_000_000,
  });
  const received = contacts.map((contact) => ({ ...contact, received: ["599", "14"] }));
  row({
    work: "the same with the exchange",
    hamkit: rate("ask", (index) => contest.ask(received[index]), COUNT),
  });
  const lines = contacts.map(
    ({ call }, index) =>
      `QSO: ${14_000 + (index % 300)} CW 2024-11-23 ${String(Math.floor(index / 600)).padStart(2, "0")}${String(Math.floor(index / 10) % 60).padStart(2, "0")} DL1ABC 599 14 ${call} 599 05`,
  );
  const text = `START-OF-LOG: 3.0\nCONTEST: CQ-WW-CW\nCALLSIGN: DL1ABC\n${lines.join("\n")}\nEND-OF-LOG:\n`;
  const log = await readLog(text);
  const scoring = await bestTime(() => scoreContestLog(log, { table }));
  row({ work: `score a log of ${COUNT} contacts`, hamkit: (COUNT / scoring) * 1000, limit: 20_000 });
}
