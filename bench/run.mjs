/**
 * `npm run bench`: how fast hamkit is, beside its peers in the same run, and the recorded figures of its peer: of the
 * library pyhamtools, of the service Keystone.
 *
 * `npm run bench -- locator sun` runs the named subjects alone; those that take long run only by name.
 * Figures are of this machine at this moment: compare the columns, not two runs.
 */
import { readdirSync } from "node:fs";

const folder = new URL(".", import.meta.url);
const subjects = readdirSync(folder)
  .filter((name) => name.endsWith("-bench.mjs"))
  .map((name) => name.replace("-bench.mjs", ""));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !subjects.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark of ${unknown.join(", ")}; there are: ${subjects.join(", ")}`);
  process.exit(2);
}

const rows = [];
const row = (figure) => {
  rows.push(figure);
  console.log(line(figure));
};

console.log(line({ work: "work", hamkit: "hamkit", limit: "limit", peer: "peer", others: [] }));
for (const subject of subjects) {
  if (wanted.length > 0 && !wanted.includes(subject)) continue;
  const { bench, isLong = false } = await import(new URL(`${subject}-bench.mjs`, folder).href);
  if (isLong && !wanted.includes(subject)) continue;
  await bench({ rate, row });
}
const missed = rows.filter(isMissed);
console.log(
  missed.length === 0 ? "Every limit is kept." : `Missed: ${missed.map(({ work }) => work).join("; ")}`,
);

/** Calls per second: the best of three rounds of about a quarter of a second, after a warm-up. */
function rate(_name, task, size) {
  const round = (count) => {
    const start = performance.now();
    for (let index = 0; index < count; index++) task(index % size);
    return performance.now() - start;
  };
  let count = 100;
  while (round(count) < 50) count *= 4;
  for (let elapsed = 0; elapsed < 300;) elapsed += round(count);
  const best = Math.min(...Array.from({ length: 3 }, () => round(count * 4)));
  return ((count * 4) / best) * 1000;
}

function line({ work, hamkit, limit, peer, others = [], unit }) {
  const figures = [cell(hamkit, unit), limitCell(limit, unit), cell(peer, unit)].map((text) =>
    text.padStart(14),
  );
  const beside = others.map(
    ({ name, figure }) => `${name} ${cell(figure, unit)} (${ratio(hamkit, figure, unit)})`,
  );
  return `${work.padEnd(44)}${figures.join("")}${ratioCell(hamkit, peer, unit)}  ${beside.join(", ")}`.trimEnd();
}

function cell(figure, unit) {
  if (typeof figure !== "number") return figure ?? "";
  if (unit !== undefined) return `${figure.toFixed(1)} ${unit}`;
  if (figure >= 1e6) return `${(figure / 1e6).toFixed(1)} M/s`;
  return figure >= 1e3 ? `${(figure / 1e3).toFixed(1)} k/s` : `${figure.toFixed(0)}/s`;
}

function limitCell(limit, unit) {
  return typeof limit === "number"
    ? `${unit === undefined ? ">=" : "<="} ${cell(limit, unit)}`
    : (limit ?? "");
}

/** How many times better hamkit is: more per second, or less of the unit. */
function ratio(ours, theirs, unit) {
  return `x ${(unit === undefined ? ours / theirs : theirs / ours).toFixed(1)}`;
}

function ratioCell(ours, theirs, unit) {
  return (typeof ours === "number" && typeof theirs === "number" ? ratio(ours, theirs, unit) : "").padStart(
    10,
  );
}

function isMissed({ hamkit, limit, unit }) {
  return typeof limit === "number" && (unit === undefined ? hamkit < limit : hamkit > limit);
}
