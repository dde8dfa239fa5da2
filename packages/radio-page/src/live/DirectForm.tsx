/** Turns on services that the browser asks by itself. */
import { BANDS } from "./band-colors.js";
import { DEFAULT_DIRECT, type DirectSettings } from "./live-settings.js";

interface Props {
  readonly settings: DirectSettings;
  readonly own: string | undefined;
  readonly onChange: (changed: Partial<DirectSettings>) => void;
}

export function DirectForm({ settings, own, onChange: change }: Props) {
  return (
    <form class="live-form" onSubmit={(event) => event.preventDefault()}>
      <p class="small muted">
        Your browser asks these services itself, once they are turned on: they see your internet address, and
        PSK Reporter the band and square that you choose.
      </p>
      <fieldset>
        <legend>
          <Check
            text="PSK Reporter"
            isOn={settings.pskReporter}
            onChange={(pskReporter) => change({ pskReporter })}
          />
        </legend>
        <label>
          Band{" "}
          <select
            value={settings.band}
            onChange={({ currentTarget }) => change({ band: currentTarget.value })}
          >
            {BANDS.map((band) => (
              <option key={band}>{band}</option>
            ))}
          </select>
        </label>
        <Check
          text={
            own === undefined
              ? "Only what is heard in your square"
              : `Only what is heard in ${own.slice(0, 4)}`
          }
          isOn={settings.isLocal}
          onChange={(isLocal) => change({ isLocal })}
        />
        <Address
          value={settings.pskReporterUrl}
          initial={DEFAULT_DIRECT.pskReporterUrl}
          form="wss?:"
          label="Address of PSK Reporter"
          onChange={(pskReporterUrl) => change({ pskReporterUrl })}
        />
      </fieldset>
      <fieldset>
        <legend>
          <Check text="POTA" isOn={settings.pota} onChange={(pota) => change({ pota })} />
        </legend>
        <Address
          value={settings.potaUrl}
          initial={DEFAULT_DIRECT.potaUrl}
          form="https?:"
          label="Address of POTA"
          onChange={(potaUrl) => change({ potaUrl })}
        />
      </fieldset>
    </form>
  );
}

interface CheckProps {
  readonly text: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function Check({ text, isOn, onChange }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {text}
    </label>
  );
}

interface AddressProps {
  readonly value: string;
  readonly initial: string;
  /** The protocols that it can have. */
  readonly form: string;
  readonly label: string;
  readonly onChange: (value: string) => void;
}

/** An address is used when it is whole: when the field is left. */
function Address({ value, initial, form, label, onChange }: AddressProps) {
  return (
    <input
      class="address"
      aria-label={label}
      value={value}
      pattern={`${form}//.+`}
      maxLength={200}
      spellcheck={false}
      autocomplete="off"
      onChange={({ currentTarget }) => {
        const wanted = currentTarget.value.trim() || initial;
        if (new RegExp(`^${form}//`).test(wanted) && URL.canParse(wanted)) onChange(wanted);
      }}
    />
  );
}
