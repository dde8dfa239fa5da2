/** Lists of contest calls: read, searched by part, searched for similar calls. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { createScpList, findByPart, findSimilar } from "hamkit/scp";

const file = fileURLToPath(new URL("../../shared/hamkit/data/MASTER.SCP", import.meta.url));

export async function bench({ rate, row }) {
  const text = existsSync(file) ? readFileSync(file, "latin1") : madeUp();
  const list = createScpList(text);
  const { calls } = list;
  const size = `${calls.length} calls`;
  // Every 97th call, so that prefixes come as often as they do in the list.
  const asked = calls.filter((_, index) => index % 97 === 0);
  const parts = asked.map((call, index) => call.slice(index % 2, (index % 2) + 2 + (index % 3)));
  const patterns = asked.map((call, index) => replaced(call.slice(0, 4), 1 + (index % 3), "?"));
  const misheard = asked.map((call, index) => replaced(call, index % call.length, "X"));

  row({ work: `read a list of ${size}`, hamkit: bestOf(() => createScpList(text)), unit: "ms", limit: 150 });
  search(`part of 2 to 4 characters in ${size}`, parts, (part) => findByPart(list, part), 1000);
  search("a single letter", Array.from("AEIKRZ1590/"), (part) => findByPart(list, part), 1000);
  search("part with a ?", patterns, (part) => findByPart(list, part), 1000);
  search("similar calls, distance 1", misheard, (call) => findSimilar(list, call), 200);
  search("similar calls, distance 2", misheard, (call) => findSimilar(list, call, { distance: 2 }), 50);

  function search(work, questions, task, limit) {
    row({ work, hamkit: rate(work, (index) => task(questions[index]), questions.length), limit });
  }
}

function replaced(text, index, by) {
  return text.slice(0, index) + by + text.slice(index + 1);
}

function bestOf(task) {
  return Math.min(
    ...Array.from({ length: 5 }, () => {
      const start = performance.now();
      task();
      return performance.now() - start;
    }),
  );
}

/** A list as long, where the real one isn't there. */
function madeUp() {
  const prefixes = ["DL", "K", "W6", "JA", "UA9", "G", "EA8", "VK3", "OH", "I"];
  return Array.from({ length: 85_000 }, (_, index) => {
    const suffix = letter(index) + letter(Math.floor(index / 26)) + letter(Math.floor(index / 676));
    return `${prefixes[index % 10]}${index % 10}${suffix}`;
  }).join("\n");
}

function letter(number) {
  return String.fromCharCode(65 + (number % 26));
}
