/** Reading a list of summits of 24 MB, and searching it. */
import { execFileSync } from "node:child_process";
import { createReferenceList } from "hamkit/references";

/** Rows of 155 bytes, as in the program's list. */
const ROWS = 155_000;

const HEADER = `SOTA Summits List (Date=30/06/2024)
SummitCode,AssociationName,RegionName,SummitName,AltM,AltFt,GridRef1,GridRef2,Longitude,Latitude,Points,BonusPoints,ValidFrom,ValidTo,ActivationCount,ActivationDate,ActivationCall
`;

const PLACES = 1 << 10;

export async function bench({ rate, row }) {
  const bytes = new TextEncoder().encode(HEADER + Array.from({ length: ROWS }, (_, i) => rowOf(i)).join(""));
  let best = Infinity;
  for (let run = 0; run < 5; run++) {
    const start = performance.now();
    await createReferenceList("sota", bytes);
    best = Math.min(best, performance.now() - start);
  }
  row({
    work: `read ${ROWS} summits, ${(bytes.length / 1e6).toFixed(0)} MB`,
    hamkit: best,
    limit: 5000,
    others: [],
    peer: undefined,
    unit: "ms",
  });
  row({
    work: "memory of reading them one by one",
    hamkit: streamedMegabytes(),
    limit: 64,
    others: [],
    peer: undefined,
    unit: "MB",
  });
  const list = await createReferenceList("sota", bytes);
  let sum = 0;
  row({
    work: "the 10 summits nearest to a place",
    hamkit: await rate("nearest", (i) => (sum += list.nearest(placeOf(i)).length), PLACES),
    others: [],
    peer: undefined,
  });
  if (sum === 0) throw new Error("no summit was found");
}

/** Growth of the peak memory while a stream of that size is read, in a process of its own. */
function streamedMegabytes() {
  const program = `
    const { readReferences } = await import(process.argv[1]);
    const header = ${JSON.stringify(HEADER)};
    const rows = (${rowOf.toString()});
    async function* stream() {
      yield header;
      for (let i = 0; i < ${ROWS}; i += 500) yield Array.from({ length: 500 }, (_, j) => rows(i + j)).join("");
    }
    for await (const _ of readReferences("sota", header + rows(1)));
    const before = process.resourceUsage().maxRSS;
    let count = 0;
    for await (const _ of readReferences("sota", stream())) count++;
    if (count !== ${ROWS}) throw new Error("read " + count);
    console.log((process.resourceUsage().maxRSS - before) / 1024);`;
  const args = ["--input-type=module", "-e", program, import.meta.resolve("hamkit/references")];
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

function rowOf(i) {
  const latitude = (((i * 7919) % 14_000) / 100 - 60).toFixed(5);
  const longitude = (((i * 104_729) % 36_000) / 100 - 180).toFixed(5);
  const code = `${["DM", "W4C", "G", "EA2"][i % 4]}/${"ABCDEFGHIJ"[(i >> 2) % 10]}${"ABCDEFGHIJ"[Math.floor(i / 40) % 10]}-${String(Math.floor(i / 400) % 1000).padStart(3, "0")}`;
  return `${code},An Association of Summits,A Region of It,Summit ${i},1234,4048,${longitude},${latitude},${longitude},${latitude},4,3,01/05/2008,31/12/2099,12,30/06/2024,DL1ABC/P\n`;
}

function placeOf(i) {
  return { latitude: ((i * 37) % 120) - 55, longitude: ((i * 71) % 360) - 180 };
}
