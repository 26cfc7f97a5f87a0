/** Data of the controller that a view shows: asked for once, and again when it may have changed. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Refused, freshness } from '../api/client.js';
import { onEvent } from '../api/live.js';

export interface Loaded<T> {
  /** The last that came; it stays while the next one is asked for. */
  readonly data: T | undefined;
  /** Why there is nothing newer; '' when all went well. */
  readonly failure: string;
  readonly reload: () => void;
}

interface LoadOptions {
  /** Milliseconds after which it is asked for again. */
  readonly every?: number;
  /** Kinds of events after which it is asked for again, by how they begin: `identity.`. */
  readonly on?: readonly string[];
  /** Another value asks again; what is shown stays meanwhile. */
  readonly also?: string | number;
}

/** Several events at once are one reason to ask again. */
const SETTLE_MS = 250;

/** @param key  another one asks for something else: what was shown goes */
export function useData<T>(key: string, load: () => Promise<T>, { every, on, also }: LoadOptions = {}): Loaded<T> {
  const [state, setState] = useState<{ key: string; data: T | undefined; failure: string }>();
  const latest = useRef(load);
  latest.current = load;
  const round = useRef(0);
  const reload = useCallback(() => {
    const own = (round.current += 1);
    const settle = (data: T | undefined, failure: string) => {
      if (own !== round.current) return; // another answer is already on its way
      setState((before) => ({ key, data: data ?? (before?.key === key ? before.data : undefined), failure }));
    };
    latest.current().then(
      (data) => {
        settle(data, '');
      },
      (error: unknown) => {
        settle(undefined, failureText(error));
      },
    );
  }, [key]);
  const fresh = freshness.value;
  useEffect(reload, [reload, fresh, also]);
  useEffect(() => {
    if (every === undefined) return undefined;
    const timer = window.setInterval(() => {
      if (!document.hidden) reload();
    }, every);
    return () => {
      window.clearInterval(timer);
    };
  }, [reload, every]);
  useEvents(on, reload);
  return {
    data: state?.key === key ? state.data : undefined,
    failure: state?.key === key ? state.failure : '',
    reload,
  };
}

function useEvents(kinds: readonly string[] | undefined, reload: () => void): void {
  useEffect(() => {
    if (kinds === undefined) return undefined;
    let timer: number | undefined;
    const end = onEvent(({ kind }) => {
      if (!kinds.some((start) => kind.startsWith(start))) return;
      timer ??= window.setTimeout(() => {
        timer = undefined;
        reload();
      }, SETTLE_MS);
    });
    return () => {
      window.clearTimeout(timer);
      end();
    };
  }, [kinds?.join(), reload]);
}

/** Words a failure. A refusal for lack of a right says so: its own text speaks of logins. */
export function failureText(error: unknown): string {
  if (error instanceof Refused && (error.status === 401 || error.status === 403) && error.code !== 'INVALID_AUTH')
    return error.code === 'UNAUTHORIZED' ? 'Your rights do not cover this, or the session has ended.' : error.message;
  return error instanceof Error ? error.message : 'Something went wrong in this page: reload it.';
}
