/** Turns on alerts, and sets their quiet hours. */
import { useState } from "preact/hooks";

import { Check } from "../live/DirectForm.js";
import { allowNotifications, browserOutput } from "./alert-output.js";
import type { AlertSettings } from "./alerts.js";

interface Props {
  readonly settings: AlertSettings;
  readonly onChange: (changed: Partial<AlertSettings>) => void;
}

export function AlertForm({ settings, onChange: change }: Props) {
  const [problem, setProblem] = useState("");

  async function turnNotification(isOn: boolean): Promise<void> {
    const isAllowed = !isOn || (await allowNotifications());
    setProblem(isAllowed ? "" : "The browser does not allow notifications of this page.");
    change({ notification: isOn && isAllowed });
  }

  return (
    <form class="live-form" onSubmit={(event) => event.preventDefault()}>
      <p class="small muted">For spots that the log needs, whatever the filter shows.</p>
      <Check
        text="Desktop notification"
        isOn={settings.notification}
        onChange={(isOn) => void turnNotification(isOn)}
      />
      <Check
        text="Sound"
        isOn={settings.sound}
        onChange={(sound) => {
          // Browsers allow sounds after the user has done something: this is it, and an example.
          if (sound) browserOutput.beep();
          change({ sound });
        }}
      />
      <Check
        text="Also for what is not confirmed"
        isOn={settings.unconfirmed}
        onChange={(unconfirmed) => change({ unconfirmed })}
      />
      <div class="quiet" role="group" aria-label="Quiet hours">
        <p>Quiet, in local time</p>
        from
        <Clock
          label="Quiet from"
          value={settings.quietFrom}
          onChange={(quietFrom) => change({ quietFrom })}
        />
        to
        <Clock
          label="Quiet to"
          value={settings.quietUntil}
          onChange={(quietUntil) => change({ quietUntil })}
        />
      </div>
      <p class={problem === "" ? "hidden" : "small problem"} role="status">
        {problem}
      </p>
    </form>
  );
}

interface ClockProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Clock({ label, value, onChange }: ClockProps) {
  return (
    <input
      type="time"
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
