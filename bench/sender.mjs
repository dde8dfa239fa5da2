/**
 * Sends requests that differ from each other, each one once and over connections that stay open, and prints how that went:
 * `node sender.mjs FILE CONNECTIONS SECONDS`. The file has `{ url, status, requests: [{ method, headers, body }] }`, and
 * `perSecond` where no more are to be sent.
 */
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

const [file, connections, seconds] = process.argv.slice(2);
const { url, status, requests, perSecond = Infinity } = JSON.parse(readFileSync(file, "utf8"));
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const latencies = [];
let next = 0;

const start = performance.now();
const end = start + Number(seconds) * 1000;
await Promise.all(Array.from({ length: Number(connections) }, sendAll));
const elapsed = performance.now() - start;
latencies.sort((a, b) => a - b);
console.log(
  JSON.stringify({
    count: latencies.length,
    perSecond: (latencies.length / elapsed) * 1000,
    p99: latencies[Math.floor(latencies.length * 0.99)],
  }),
);
agent.destroy();

async function sendAll() {
  while (next < requests.length && performance.now() < end) {
    const number = next++;
    const wait = start + (number * 1000) / perSecond - performance.now();
    if (wait > 0) await delay(wait);
    const begun = performance.now();
    const answered = await send(requests[number]);
    if (answered.status !== status) throw new Error(`${answered.status} ${answered.text}`);
    latencies.push(performance.now() - begun);
  }
}

function send({ method, headers, body }) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (answer) => {
      let text = "";
      answer.on("data", (data) => (text += data));
      answer.on("end", () => resolve({ status: answer.statusCode, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
