/** Fields that name what the network has: an entity, or role attributes. */
import { useId, useState } from 'preact/hooks';
import { call } from '../api/client.js';
import { TextField } from './form.js';
import { useData } from './use-data.js';
import { filterText } from './words.js';

export interface Named {
  readonly id: string;
  readonly name: string;
}

type Collection = 'identities' | 'services' | 'policies';

const SHOWN = 20;

const FIND: Readonly<Record<Collection, (filter: { filter?: string }) => Promise<readonly Named[]>>> = {
  identities: (filter) => call('listIdentities', { query: { ...filter, sort: 'name', limit: SHOWN } }),
  services: (filter) => call('listServices', { query: { ...filter, sort: 'name', limit: SHOWN } }),
  policies: (filter) => call('listServicePolicies', { query: { ...filter, sort: 'name', limit: SHOWN } }),
};

interface EntityProps {
  readonly label: string;
  readonly of: Collection;
  /** The text in the field. */
  readonly value: string;
  /** @param found  the entity of exactly this name; undefined while there is none */
  readonly onChange: (value: string, found: Named | undefined) => void;
  readonly hint?: string;
}

/** Finds entities by a part of their names, as it is typed. */
export function EntityField({ label, of, value, onChange, hint }: EntityProps) {
  const { data } = useData(`${of}/${value}`, async () => {
    const [some, exact] = await Promise.all([
      FIND[of](value === '' ? {} : { filter: `name contains ${filterText(value)}` }),
      value === '' ? [] : FIND[of]({ filter: `name = ${filterText(value)}` }),
    ]);
    const [found] = exact;
    if (found !== undefined) onChange(value, found);
    return some.map(({ name }) => name);
  });
  const isUnknown = data !== undefined && value !== '' && data.length === 0;
  return (
    <TextField
      label={label}
      value={value}
      onInput={(text) => {
        onChange(text, undefined);
      }}
      suggestions={data ?? []}
      hint={isUnknown ? 'Nothing has this in its name.' : (hint ?? 'Type a part of the name.')}
    />
  );
}

interface AttributesProps {
  readonly label: string;
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
  readonly known: readonly string[];
  readonly hint?: string;
}

function Chips({ label, value, onChange }: Pick<AttributesProps, 'label' | 'value' | 'onChange'>) {
  if (value.length === 0) return null;
  return (
    <ul class="chips" aria-label={`${label}: chosen`}>
      {value.map((name) => (
        <li key={name}>
          #{name}
          <button
            type="button"
            aria-label={`Remove ${name}`}
            onClick={() => {
              onChange(value.filter((other) => other !== name));
            }}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Role attributes: those that are chosen, and a line to add another one. */
export function AttributesField({ label, value, onChange, known, hint }: AttributesProps) {
  const [text, setText] = useState('');
  const id = useId();
  const add = () => {
    const names = text.split(/[\s,]+/).map((name) => name.replace(/^#/, ''));
    const all = [...value, ...names].filter((name, index, every) => name !== '' && every.indexOf(name) === index);
    onChange(all);
    setText('');
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Chips label={label} value={value} onChange={onChange} />
      <div class="with-button">
        <input
          id={id}
          value={text}
          list={`${id}-list`}
          autoComplete="off"
          autoCapitalize="none"
          spellcheck={false}
          aria-describedby={`${id}-hint`}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || text === '') return;
            event.preventDefault();
            add();
          }}
          onBlur={() => {
            if (text !== '') add();
          }}
        />
        <button type="button" class="plain" onClick={add} disabled={text === ''}>
          Add
        </button>
      </div>
      <datalist id={`${id}-list`}>
        {known
          .filter((name) => !value.includes(name))
          .map((name) => (
            <option value={name} key={name} />
          ))}
      </datalist>
      <p class="hint" id={`${id}-hint`}>
        {hint ?? 'Policies select by these. Enter adds one.'}
      </p>
    </div>
  );
}
