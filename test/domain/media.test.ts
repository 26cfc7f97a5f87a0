/** What `Accept` asks for: which of two types it prefers, and when none will do. */
import { expect } from 'chai';
import type { OperationSpec } from '../../generated/operation.js';
import { operations } from '../../generated/operations.js';
import { preferredOf, requireAcceptable } from '../../server/http/media.js';

const JSON_TYPE = 'application/json';
const YAML = 'text/yaml';

describe('Accept', () => {
  const cases: [what: string, accept: string | undefined, preferred: string][] = [
    ['is missing: the first', undefined, YAML],
    ['is empty: the first', '', YAML],
    ['takes anything: the first', '*/*', YAML],
    ['names the second alone: the second', JSON_TYPE, JSON_TYPE],
    ['names both: the first', `${JSON_TYPE}, ${YAML}`, YAML],
    ['prefers by quality: the better one', `${YAML};q=0.5, ${JSON_TYPE};q=0.9`, JSON_TYPE],
    ['names one and takes anything as well: the one named', `${JSON_TYPE}, text/plain, */*`, JSON_TYPE],
    ['names one by a range before anything: that one', 'application/*, */*', JSON_TYPE],
    ['refuses the first: the second', `${YAML};q=0, */*;q=0.1`, JSON_TYPE],
    ['is written in upper case with blanks: the one named', ' Application/JSON ; Q=0.3 ', JSON_TYPE],
    ['has a quality that is none: as without', `${JSON_TYPE};q=high, ${YAML};q=0.9`, JSON_TYPE],
  ];
  for (const [what, accept, preferred] of cases)
    it(what, () => expect(preferredOf([YAML, JSON_TYPE], accept)).to.equal(preferred));

  const { listServices } = operations.management as Readonly<Record<string, OperationSpec>>;
  const accepts = (accept: string | undefined) => () => {
    requireAcceptable(listServices ?? expect.fail('the specs lack listServices'), accept);
  };

  it('is met by JSON, by a range with it, and by anything', () => {
    for (const accept of [undefined, '', JSON_TYPE, 'application/*', '*/*', 'text/html, */*;q=0.8'])
      expect(accepts(accept), accept).not.to.throw();
  });

  it('is not met where it names other types alone, or takes JSON at no price', () => {
    for (const accept of ['text/html', 'text/*', `${JSON_TYPE};q=0`, `${JSON_TYPE};q=0, */*`, '*/*;q=0'])
      expect(accepts(accept), accept).to.throw().with.property('kind', 'notAcceptable');
  });
});
