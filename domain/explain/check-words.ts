/** Words for what a posture check wants, and for what is known of the device. */
import type { AskedCheck } from '../posture/evaluate.js';
import { checkFailure } from '../posture/failures.js';
import type { ActualProcess } from '../posture/failures.js';
import type { PostureState } from '../posture/state.js';

const NOTHING = 'nothing was reported';

const listed = (words: readonly string[], none: string): string => (words.length === 0 ? none : words.join(', '));

const processWords = ({ path, isRunning, hash }: ActualProcess): string =>
  `${path} ${isRunning ? 'runs' : 'does not run'}${hash === '' ? '' : ` (hash ${hash})`}`;

/** Both as a reader may compare them. */
export function checkWords(
  check: AskedCheck,
  state: PostureState,
  now: Date,
): { readonly wanted: string; readonly found: string } {
  const described = checkFailure(check, state, now);
  switch (described.postureCheckType) {
    case 'OS': {
      const { type, version } = described.actualValue;
      const systems = described.expectedValue.map(({ type: os, versions }) => [os, ...versions].join(' '));
      return { wanted: listed(systems, 'no system'), found: type === '' ? NOTHING : `${type} ${version}` };
    }
    case 'MAC':
      return {
        wanted: `one of ${listed(described.expectedValue, 'none')}`,
        found: listed(described.actualValue, NOTHING),
      };
    case 'DOMAIN': {
      const { expectedValue, actualValue } = described;
      return {
        wanted: `one of ${listed(expectedValue, 'none')}`,
        found: actualValue === '' ? NOTHING : actualValue,
      };
    }
    case 'PROCESS':
      return { wanted: `${described.expectedValue.path} runs`, found: processWords(described.actualValue) };
    case 'PROCESS_MULTI':
      return {
        wanted: `${described.semantic === 'AllOf' ? 'all' : 'one'} of ${described.expectedValue
          .map(({ path }) => path)
          .join(', ')} runs`,
        found: described.actualValue.map(processWords).join(', '),
      };
    case 'MFA': {
      const { passedMfaAt, timeoutSeconds } = described.criteria;
      const { passedOnWake, passedOnUnlock } = described.actualValue;
      const since = [...(passedOnWake ? [] : ['woken']), ...(passedOnUnlock ? [] : ['unlocked'])].join(' and ');
      return {
        wanted: timeoutSeconds > 0 ? `a TOTP code of the last ${timeoutSeconds} s` : 'a TOTP code',
        found:
          passedMfaAt === null
            ? 'no code was given'
            : `the last code at ${passedMfaAt}${since === '' ? '' : `; the device was ${since} since`}`,
      };
    }
  }
}
