/**
 * What requests cost in processor time of services of several kinds, in short turns: machines change their speed within seconds, and
 * requests per second would depend on what else the machine does.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { processorSeconds, stop } from "./identity-service.mjs";

/** Of processes: identical ones differ by some percent. */
const SETS = 3;
/** For a service to compile what it runs often. */
const WARM_UP_MS = 4000;
/** Of a process: after a pause, its code is no longer in the caches of the processor, which shorter turns would measure. */
const TURN_MS = 1000;
const TURNS = 13;
/** Of a service that has changed: the code of what is new is compiled. */
const SETTLE_MS = 150;
const TURN_AFTER_CHANGE_MS = 200;
const CHANGES = 40;
const CONNECTIONS = 8;
/** For a response that does not come whole. */
const TIMEOUT_MS = 10_000;

/**
 * Compares services of several kinds with the first one, each in a process of its own.
 *
 * @param kinds By name: starts a service in a folder.
 * @param requests By name: path and options of the request to a service.
 * @returns Of each request, the microseconds of the first kind, and what the others take, in percent of that: the medians of the sets,
 *   with the lowest and the highest as text.
 */
export async function costsOf(kinds, requests) {
  const names = Object.keys(kinds);
  return inSets(names, requests, async (folders, take) => {
    const services = [];
    try {
      for (const name of names) services.push(await kinds[name](folders.next()));
      for (const work of Object.keys(requests)) await take(work, () => takeTurns(services, requests[work]));
    } finally {
      for (const { child } of services) await stop(child);
    }
  });
}

/**
 * Compares one process with itself, for what can be changed while it runs: to a percent, as processes differ by more.
 *
 * @param start Starts a service in a folder.
 * @param kinds By name: has the service be of this kind.
 * @returns As {@link costsOf}.
 */
export async function costsOfChanges(start, kinds, requests) {
  const changes = Object.values(kinds);
  return inSets(Object.keys(kinds), requests, async (folders, take) => {
    const service = await start(folders.next());
    try {
      for (const work of Object.keys(requests))
        await take(work, () => takeTurnsOfOne(service, changes, requests[work]));
    } finally {
      await stop(service.child);
    }
  });
}

async function inSets(names, requests, measureSet) {
  const measured = Object.fromEntries(Object.keys(requests).map((work) => [work, []]));
  for (let set = 0; set < SETS; set++) {
    const made = [];
    const folders = {
      next() {
        made.push(mkdtempSync(join(tmpdir(), "hamkit-identity-bench-")));
        return made.at(-1);
      },
    };
    try {
      await measureSet(folders, async (work, costs) => measured[work].push(await costs()));
    } finally {
      for (const folder of made) rmSync(folder, { recursive: true, force: true });
    }
  }
  return Object.entries(measured).map(([work, sets]) => {
    const others = names.slice(1).map((name, index) => {
      const percents = sets.map((costs) => (100 * costs[index + 1]) / costs[0]);
      const range = `${Math.round(Math.min(...percents))} to ${Math.round(Math.max(...percents))} %`;
      return { name, percent: median(percents), range };
    });
    return { work, microseconds: median(sets.map(([first]) => first)), others };
  });
}

/** @returns The microseconds of a request to each service. */
async function takeTurns(services, requestOf) {
  const clients = [];
  try {
    for (const service of services) clients.push(await openClient(service.url, requestOf(service)));
    for (const client of clients) await client.send(WARM_UP_MS);
    // Until all turns are over: what a service does after its responses, such as writing its log, is theirs.
    const secondsOf = () => services.map(({ child: { pid } }) => processorSeconds(pid));
    const before = secondsOf();
    const counts = services.map(() => 0);
    for (let turn = 0; turn < TURNS; turn++)
      for (let place = 0; place < services.length; place++) {
        const index = (turn + place) % services.length;
        counts[index] += await clients[index].send(TURN_MS);
      }
    return secondsOf().map((seconds, index) => ((seconds - before[index]) / counts[index]) * 1e6);
  } finally {
    for (const client of clients) client.close();
  }
}

/** @returns The microseconds of a request after each change. */
async function takeTurnsOfOne(service, changes, requestOf) {
  const client = await openClient(service.url, requestOf(service));
  const { pid } = service.child;
  try {
    const totals = changes.map(() => ({ seconds: 0, count: 0 }));
    await client.send(WARM_UP_MS);
    for (let turn = 0; turn < CHANGES; turn++)
      for (let place = 0; place < changes.length; place++) {
        const index = (turn + place) % changes.length;
        await changes[index](service);
        await client.send(SETTLE_MS);
        const before = processorSeconds(pid);
        totals[index].count += await client.send(TURN_AFTER_CHANGE_MS);
        totals[index].seconds += processorSeconds(pid) - before;
      }
    return totals.map(({ seconds, count }) => (seconds / count) * 1e6);
  } finally {
    client.close();
  }
}

/**
 * Sends the same request over connections that stay open. Responses are told by their length, which is always the same: a client that
 * reads them would take longer than the service.
 */
async function openClient(url, { path, method = "GET", headers = {}, body, connections = CONNECTIONS }) {
  const { hostname, port, host } = new URL(url);
  const content = body === undefined ? "" : JSON.stringify(body);
  const lines = Object.entries({
    host,
    ...headers,
    ...(body !== undefined && { "content-type": "application/json", "content-length": content.length }),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${content}`;
  const sockets = [];
  for (let number = 0; number < connections; number++) {
    const socket = connect({ host: hostname, port }).setNoDelay();
    await once(socket, "connect");
    sockets.push(socket);
  }
  const length = await lengthOfResponse(sockets[0], request);

  function sendUntil(socket, end) {
    let received = 0;
    let count = 0;
    return new Promise((resolve, reject) => {
      const done = () => {
        socket.off("data", read).off("error", reject);
        resolve(count);
      };
      const read = (data) => {
        if (received === 0 && !isSuccess(data)) reject(new Error(`${method} ${path}: ${data}`));
        received += data.length;
        if (received < length) return;
        if (received > length) reject(new Error(`${method} ${path}: responses differ in length`));
        received = 0;
        count++;
        if (performance.now() < end) socket.write(request);
        else done();
      };
      socket.on("data", read).on("error", reject);
      socket.write(request);
    });
  }

  return {
    /** @returns How many responses came. */
    async send(milliseconds) {
      const end = performance.now() + milliseconds;
      const all = Promise.all(sockets.map((socket) => sendUntil(socket, end)));
      const late = new AbortController();
      const counts = await Promise.race([
        all,
        delay(milliseconds + TIMEOUT_MS, undefined, { signal: late.signal }).then(() => {
          throw new Error(`${method} ${path}: a response did not come whole`);
        }),
      ]);
      late.abort();
      return counts.reduce((sum, count) => sum + count, 0);
    },
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

const isSuccess = (data) => /^HTTP\/1\.1 2\d\d /.test(data.toString("latin1", 0, 16));

async function lengthOfResponse(socket, request) {
  socket.write(request);
  let text = "";
  for (;;) {
    const [data] = await once(socket, "data");
    text += data.toString("latin1");
    const head = text.indexOf("\r\n\r\n");
    if (head === -1) continue;
    const [, length] = /^content-length: (\d+)\r$/im.exec(text.slice(0, head + 2)) ?? [];
    if (length === undefined || !isSuccess(Buffer.from(text))) throw new Error(text.slice(0, 1000));
    const whole = head + 4 + Number(length);
    if (text.length === whole) return whole;
  }
}

function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}
