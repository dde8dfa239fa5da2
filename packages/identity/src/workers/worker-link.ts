/** What one of several processes that serve has to do with the others. */
import type { MetricsPeers } from "../platform/health/metrics.js";
import { toMessage, type Message, type StopRequest } from "./messages.js";

/** How long the others are waited for: longer than the supervisor waits. */
const COLLECT_MS = 3000;

/** The channel to the supervisor: a process that was forked has it. */
export interface Channel {
  send(message: Message): unknown;
  on(event: "message", listener: (said: unknown) => void): unknown;
}

export interface WorkerLink extends MetricsPeers {
  /** Resolves when the supervisor wants this process to end. */
  readonly stopped: Promise<StopRequest>;
  /** Has it called each time when files are to be read again. */
  onReload(reload: () => void): void;
}

export function createWorkerLink(id: number, channel: Channel): WorkerLink {
  const questions = new Map<number, (counts: readonly unknown[]) => void>();
  const reloads: (() => void)[] = [];
  let share: (() => Promise<unknown>) | undefined;
  let asked = 0;
  let stop: ((request: StopRequest) => void) | undefined;
  const stopped = new Promise<StopRequest>((resolve) => {
    stop = resolve;
  });

  channel.on("message", (said) => {
    const message = toMessage(said);
    if (message?.kind === "stop") stop?.(message);
    if (message?.kind === "reload") for (const reload of reloads) reload();
    if (message?.kind === "collect") void answer(message.question);
    if (message?.kind === "collected") questions.get(message.question)?.(message.counts);
  });

  async function answer(question: number): Promise<void> {
    channel.send({ kind: "counted", question, counts: await share?.() });
  }

  return {
    id,
    stopped,
    onReload: (reload) => void reloads.push(reload),
    share(counts) {
      share = counts;
    },
    async collect() {
      const question = ++asked;
      const collected = new Promise<readonly unknown[]>((resolve) => {
        questions.set(question, resolve);
        setTimeout(() => resolve([]), COLLECT_MS).unref();
      });
      channel.send({ kind: "collect", question });
      const counts = await collected;
      questions.delete(question);
      return counts.length > 0 ? counts : [await share?.()];
    },
  };
}
