import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createLineWriter, type LineSink } from "../../../src/platform/log-output/line-writer.js";
import { createLogOutput } from "../../../src/platform/log-output/log-output.js";

/** A sink that can be told to fail, or to take a part of what it gets. */
function testSink() {
  const state = { text: "", writes: 0, code: undefined as string | undefined, takes: Infinity };
  const sink: LineSink = {
    maxBytes: 64,
    write(bytes) {
      if (state.code !== undefined)
        throw Object.assign(new Error(`${state.code}: simulated`), { code: state.code });
      const taken = Math.min(bytes.length, state.takes);
      state.writes++;
      state.text += Buffer.from(bytes.subarray(0, taken)).toString("latin1");
      return taken;
    },
  };
  return { state, sink };
}

const gap = (dropped: number) => `- ${dropped}\n`;

describe("a log that can't be written", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each(["ENOSPC", "EAGAIN", "EPIPE", "EIO", "EBADF", "EDQUOT"])(
    "neither throws nor waits, and keeps its lines in order: %s",
    (code) => {
      const { state, sink } = testSink();
      const lines = createLineWriter({ sink, maxKept: 1000, gap });
      lines.write("before\n");
      vi.advanceTimersByTime(1);
      state.code = code;
      for (const line of ["a\n", "b\n", "c\n"]) lines.write(line);
      vi.advanceTimersByTime(1500);
      expect(lines.fault()).toBe(code === "EAGAIN" ? "no one reads it" : `${code}: simulated`);
      state.code = undefined;
      lines.write("d\n");
      vi.advanceTimersByTime(500);
      expect(state.text).toBe("before\na\nb\nc\nd\n");
      expect(lines.fault()).toBeUndefined();
      expect(lines.dropped()).toBe(0);
    },
  );

  it("drops lines when its buffer is full, and has their number in their place", () => {
    const { state, sink } = testSink();
    const reasons: string[] = [];
    const lines = createLineWriter({ sink, maxKept: 10, gap, onDrop: (reason) => reasons.push(reason) });
    state.code = "ENOSPC";
    for (let at = 0; at < 100; at++) lines.write(`${at % 10}\n`);
    vi.advanceTimersByTime(300);
    for (let at = 0; at < 10_000; at++) lines.write("later\n");
    expect(lines.dropped()).toBe(95 + 10_000);
    state.code = undefined;
    vi.advanceTimersByTime(500);
    lines.write("after\n");
    vi.advanceTimersByTime(1);
    expect(state.text).toBe("0\n1\n2\n3\n4\n- 10095\nafter\n");
    expect(reasons).toHaveLength(1);
  });

  it("writes each line once and whole, whatever part the sink takes and whenever it fails", () => {
    const event = fc.oneof(
      fc.record({
        line: fc.string({ maxLength: 40, unit: fc.constantFrom("a", "b", "é") }),
        isLate: fc.boolean(),
      }),
      fc.record({ code: fc.constantFrom("ENOSPC", "EAGAIN", undefined) }),
      fc.record({ takes: fc.constantFrom(1, 7, Infinity) }),
      fc.record({ ms: fc.constantFrom(0, 1, 250) }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const { state, sink } = testSink();
        const lines = createLineWriter({ sink, maxKept: 200, gap });
        let written = 0;
        for (const each of events) {
          if ("line" in each) {
            const text = `${written++}:${each.line}\n`;
            if (each.isLate) lines.writeLater(() => text);
            else lines.write(text);
          } else if ("code" in each) state.code = each.code;
          else if ("takes" in each) state.takes = each.takes;
          else vi.advanceTimersByTime(each.ms);
        }
        state.code = undefined;
        vi.advanceTimersByTime(1000);
        let next = 0;
        for (const line of Buffer.from(state.text, "latin1").toString().split("\n").slice(0, -1)) {
          const [, dropped] = /^- (\d+)$/.exec(line) ?? [];
          expect(line).toMatch(dropped === undefined ? new RegExp(`^${next}:[abé]*$`) : /^-/);
          next += Number(dropped ?? 1);
        }
        expect(next).toBe(written);
      }),
    );
  });

  it("is written at once where it can be, before the client has the response", () => {
    const { state, sink } = testSink();
    const lines = createLineWriter({ sink, maxKept: 10_000, gap });
    for (const text of ["a\n", "b\n"]) lines.write(text);
    expect(state).toMatchObject({ text: "a\nb\n", writes: 2 });
  });

  it("is written within 5 ms, its lines together, where the client has the response; in their order", () => {
    const { state, sink } = testSink();
    const lines = createLineWriter({ sink, maxKept: 10_000, gap });
    const writeLate = (text: string) => lines.writeLater(() => text);
    for (const text of ["a\n", "b\n"]) writeLate(text);
    vi.advanceTimersByTime(4);
    expect(state.text).toBe("");
    vi.advanceTimersByTime(1);
    expect(state).toMatchObject({ text: "a\nb\n", writes: 1 });
    // No more than so many wait.
    for (let at = 0; at < 65; at++) writeLate("0123456\n");
    expect(state).toMatchObject({ text: `a\nb\n${"0123456\n".repeat(64)}`, writes: 1 + 8 });
    lines.write("now\n");
    expect(state.text).toBe(`a\nb\n${"0123456\n".repeat(65)}now\n`);
  });

  it("writes many kept lines together, and no more than the sink wants", () => {
    const { state, sink } = testSink();
    const lines = createLineWriter({ sink, maxKept: 10_000, gap });
    state.code = "EAGAIN";
    for (let at = 0; at < 100; at++) lines.write("0123456\n");
    state.code = undefined;
    vi.advanceTimersByTime(500);
    expect(state.text).toHaveLength(800);
    expect(state.writes).toBe(Math.ceil(100 / 8));
  });

  it("is written at the end of the process, which waits for a slow reader, and not for a full disk", () => {
    vi.useRealTimers();
    const { state, sink } = testSink();
    const lines = createLineWriter({ sink, maxKept: 1000, gap });
    state.code = "EAGAIN";
    lines.write("last\n");
    const since = performance.now();
    lines.end(50);
    expect(performance.now() - since).toBeGreaterThan(40);
    state.code = "ENOSPC";
    lines.end(10_000);
    expect(performance.now() - since).toBeLessThan(5000);
    state.code = undefined;
    lines.end(50);
    expect(state.text).toBe("last\n");
  });

  it("is reported on standard error, in its impairments and by a line, with the number of dropped lines", () => {
    const [log, errors] = [testSink(), testSink()];
    const output = createLogOutput({ sink: log.sink, errors: errors.sink });
    const line = `${"x".repeat(1 << 20)}\n`;
    log.state.code = "ENOSPC";
    for (let times = 0; times < 6; times++) output.write(line);
    vi.advanceTimersByTime(500);
    expect(output.impairments()).toEqual([
      expect.stringMatching(/^The log can't be written \(ENOSPC: simulated\): .* 3 were dropped\.$/),
    ]);
    expect(output.isStored()).toBe(false);
    log.state.code = undefined;
    vi.advanceTimersByTime(500);
    expect(output.isStored()).toBe(true);
    expect(output.impairments()).toEqual([]);
    expect(log.state.text.slice(3 * line.length)).toMatch(
      /^\{"level":"error",.*"dropped":3,"msg":"log lines dropped"\}\n$/,
    );
    vi.advanceTimersByTime(500);
    expect(errors.state.text).toMatch(
      /can't be written \(ENOSPC: simulated\): lines are dropped\n.*3 lines were dropped\n$/,
    );
  });
});
