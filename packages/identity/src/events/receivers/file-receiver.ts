/** A file as a receiver of events: a line of JSON each, appended. */
import { open, type FileHandle } from "node:fs/promises";

import { eventView } from "../event-view.js";
import type { EventReceiver } from "./receiver.js";

/** @param path Opened anew for each batch: it may be rotated. */
export function createFileReceiver(path: string): EventReceiver {
  return {
    name: "file",
    async send(events) {
      const file = await open(path, "a", 0o640);
      try {
        await appendWhole(file, events.map((event) => `${JSON.stringify(eventView(event))}\n`).join(""));
      } finally {
        await file.close();
      }
    },
    async close() {},
  };
}

/** Appends all, or nothing: a part of a line would spoil the next one. */
async function appendWhole(file: FileHandle, text: string): Promise<void> {
  const { size } = await file.stat();
  try {
    await file.appendFile(text);
    await file.sync();
  } catch (error) {
    await file.truncate(size).catch(() => {});
    throw error;
  }
}
