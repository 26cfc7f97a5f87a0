/** Fields and forms: what was typed stays when a call fails. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Failure } from './basics.js';
import { failureText } from './use-data.js';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: string;
  readonly type?: 'text' | 'password' | 'search';
  readonly required?: boolean;
  readonly autoComplete?: string;
  readonly suggestions?: readonly string[];
  readonly autoFocus?: boolean;
  readonly placeholder?: string;
}

/** The types of the view library know suggestions of texts alone; none of the other kinds here has any. */
const typeOf = (type: string): { readonly type: 'text' } => ({ type: type as 'text' });

/** A line to type in, with suggestions where there are any. */
export function TextField(props: FieldProps) {
  const { label, value, onInput, hint, type = 'text', required = false, suggestions, autoFocus = false } = props;
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        {...typeOf(type)}
        value={value}
        required={required}
        autoComplete={props.autoComplete ?? 'off'}
        autoCapitalize="none"
        spellcheck={false}
        autoFocus={autoFocus}
        placeholder={props.placeholder}
        {...(suggestions === undefined ? {} : { list: `${id}-list` })}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onInput={({ currentTarget }) => {
          onInput(currentTarget.value);
        }}
      />
      {suggestions !== undefined && (
        <datalist id={`${id}-list`}>
          {suggestions.map((text) => (
            <option value={text} key={text} />
          ))}
        </datalist>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onChange: (value: T) => void;
}

export function Select<T extends string>({ label, value, options, onChange }: ChoiceProps<T>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.value as T);
        }}
      >
        {options.map(([option, text]) => (
          <option value={option} key={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

export function Radios<T extends string>({ label, value, options, onChange }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset>
      <legend>{label}</legend>
      {options.map(([option, text]) => (
        <label class="choice" key={option}>
          <input
            type="radio"
            name={name}
            checked={option === value}
            onChange={() => {
              onChange(option);
            }}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

interface FormProps {
  /** Text of the button. */
  readonly submit: string;
  /** Its text while the call is on its way. */
  readonly busy?: string;
  /** The call; its failure is shown below the fields. */
  readonly onSubmit: () => Promise<void>;
  readonly isReady?: boolean;
  readonly isDanger?: boolean;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Form({
  submit,
  busy = 'One moment…',
  onSubmit,
  isReady = true,
  isDanger,
  actions,
  children,
}: FormProps) {
  const [state, setState] = useState({ isBusy: false, failure: '' });
  const send = async () => {
    if (state.isBusy) return;
    setState({ isBusy: true, failure: '' });
    try {
      await onSubmit();
      setState({ isBusy: false, failure: '' });
    } catch (error) {
      setState({ isBusy: false, failure: failureText(error) });
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {children}
      <Failure text={state.failure} />
      <div class="buttons">
        {actions}
        <button type="submit" class={isDanger === true ? 'danger' : 'primary'} disabled={!isReady || state.isBusy}>
          {state.isBusy ? busy : submit}
        </button>
      </div>
    </form>
  );
}
