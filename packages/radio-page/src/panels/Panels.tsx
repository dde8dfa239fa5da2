/** The panels below the map, of which one is open or none. */
import type { ComponentChildren } from "preact";

/** The order of their buttons is that of the list that `Panels` is given. */
export type PanelId = "live" | "log" | "sky";

export interface Panel {
  readonly id: PanelId;
  readonly title: string;
  /** What is worth to know while the panel is closed: a number, a state. */
  readonly note?: string | undefined;
  readonly render: () => ComponentChildren;
}

interface Props {
  readonly panels: readonly Panel[];
  readonly open: PanelId | undefined;
  readonly onOpen: (id: PanelId | undefined) => void;
}

export function Panels({ panels, open, onOpen }: Props) {
  const panel = panels.find(({ id }) => id === open);
  return (
    <>
      <div class="panel-bar" role="group" aria-label="Panels">
        {panels.map(({ id, title, note }) => (
          <button
            key={id}
            aria-expanded={id === open}
            aria-controls="panel"
            onClick={() => onOpen(id === open ? undefined : id)}
          >
            {title}
            {note !== undefined && <span class="small muted">{note}</span>}
          </button>
        ))}
      </div>
      <div class="panel" id="panel" hidden={panel === undefined}>
        {panel?.render()}
      </div>
    </>
  );
}

/** The panel that was open on this device. */
export function isPanelId(text: string | undefined): text is PanelId {
  return text === "live" || text === "log" || text === "sky";
}
