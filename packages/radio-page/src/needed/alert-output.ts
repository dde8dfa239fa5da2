/** Notifications and sounds of the browser. */
import type { AlertOutput } from "./alerts.js";

let audio: AudioContext | undefined;

export const browserOutput: AlertOutput = {
  notify: (title, text) => void notify(title, { body: text, tag: title }),
  beep() {
    audio ??= new AudioContext();
    void audio.resume();
    const { currentTime } = audio;
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = 700;
    volume.gain.setValueAtTime(0.0001, currentTime);
    volume.gain.exponentialRampToValueAtTime(0.2, currentTime + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, currentTime + 0.25);
    tone.connect(volume).connect(audio.destination);
    tone.start(currentTime);
    tone.stop(currentTime + 0.3);
  },
};

/** A phone only accepts notifications of a service worker. */
async function notify(title: string, options: NotificationOptions): Promise<void> {
  if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
  try {
    const shown = new Notification(title, options);
    shown.addEventListener("click", () => globalThis.focus());
  } catch {
    const worker = await navigator.serviceWorker.ready;
    await worker.showNotification(title, options);
  }
}

/** Asks the user, at most once. @returns Whether notifications are allowed. */
export async function allowNotifications(): Promise<boolean> {
  if (!("Notification" in globalThis)) return false;
  return (await Notification.requestPermission()) === "granted";
}
