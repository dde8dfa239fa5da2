/** Lines of DX clusters: decoded, streamed, and looked up. */
import { annotateSpot, decodeSpot, decodeSpots } from "hamkit/spots";
import { loadEmbeddedCountryFile } from "hamkit/lookup";

/** Lines to decode, a power of two. */
const COUNT = 1 << 14;

export async function bench({ rate, row }) {
  const now = new Date("2024-03-01T12:00:00Z");
  const kinds = { skimmer: skimmerLine, person: personLine, frame: frameLine };
  let spots = 0;
  const decode = (lines) => (index) => {
    if (decodeSpot(lines[index], { now }).kind === "spot") spots++;
  };
  for (const [name, write] of Object.entries(kinds)) {
    const lines = received(write);
    row({ work: `decode a cluster line: ${name}`, hamkit: rate(name, decode(lines), COUNT) });
  }
  const writers = Object.values(kinds);
  const mixed = received((index) => writers[index % 3](index));
  row({ work: "decode cluster lines, mixed", hamkit: rate("mixed", decode(mixed), COUNT), limit: 500_000 });
  row({ work: "decode cluster lines as a stream", hamkit: await rateOfStream(mixed), limit: 250_000 });

  const table = await loadEmbeddedCountryFile();
  const decoded = mixed.map((line) => decodeSpot(line, { now }));
  const annotate = (index) => annotateSpot(decoded[index], { table, locator: "JN48QM" });
  row({
    work: "look up both stations of a spot, with distance",
    hamkit: rate("annotate", annotate, COUNT),
    limit: 150_000,
  });
  if (spots === 0) throw new Error("nothing was decoded");
}

/** Lines as they come from a socket: pieces of one text. */
function received(write) {
  return Array.from({ length: COUNT }, (_, index) => write(index))
    .join("\n")
    .split("\n");
}

async function rateOfStream(lines) {
  let best = Infinity;
  for (let round = 0; round < 4; round++) {
    const start = performance.now();
    for await (const { kind } of decodeSpots(lines)) if (kind !== "spot") throw new Error("not decoded");
    best = Math.min(best, performance.now() - start);
  }
  return (lines.length / best) * 1000;
}

function skimmerLine(index) {
  const spotter = `${call(index * 7)}-#:`.padEnd(12);
  const report = `CW    ${10 + (index % 40)} dB  ${15 + (index % 25)} WPM  CQ      `;
  return `DX de ${spotter}${khz(index)}  ${call(index).padEnd(15)}${report}${time(index)}`;
}

function personLine(index) {
  const comment = ["tnx qso 73", "up 5", "FT8 -12dB from GF15", "", "59+20dB loud in EU"][index % 5];
  return `DX de ${`${call(index * 7)}:`.padEnd(9)}${khz(index)}  ${call(index).padEnd(13)}${comment.padEnd(30)} ${time(index)}`;
}

function frameLine(index) {
  const fields = [khz(index).trim(), call(index), "11-Apr-2014", time(index), "CQ", call(index * 7), "W4NJA"];
  return `PC61^${fields.join("^")}^72.51.152.150^H96^~`;
}

function call(index) {
  const letter = (step) => String.fromCharCode(65 + (Math.floor(index / step) % 26));
  return `${["DL", "K", "JA", "UA", "EA", "VK"][index % 6]}${index % 10}${letter(1)}${letter(26)}${letter(676)}`;
}

function khz(index) {
  return (14_000 + (index % 3500) / 10).toFixed(1).padStart(9);
}

function time(index) {
  return `${String(index % 24).padStart(2, "0")}${String(index % 60).padStart(2, "0")}Z`;
}
