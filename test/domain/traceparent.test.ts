/** The headers of W3C Trace Context, read and written. */
import { expect } from 'chai';
import { headersOf, parentOf } from '../../server/traces/traceparent.js';

const [TRACE, SPAN] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
const of = (version: string, more = '') => `${version}-${TRACE}-${SPAN}-01${more}`;

describe('traceparent', () => {
  it('is read, with the state of vendors', () => {
    const parent = parentOf({ traceparent: of('00'), tracestate: 'a=1,b=2' });
    expect(parent).to.include({ traceId: TRACE, spanId: SPAN, traceFlags: 1, isRemote: true });
    expect(parent?.traceState?.serialize()).to.equal('a=1,b=2');
    expect(parentOf({ traceparent: `00-${TRACE}-${SPAN}-00` })?.traceFlags).to.equal(0);
    expect(parentOf({ traceparent: `00-${TRACE}-${SPAN}-ff` })?.traceFlags).to.equal(1);
  });

  it('of a later version is read as far as it is known', () => {
    expect(parentOf({ traceparent: of('01', '-what-comes') })?.traceId).to.equal(TRACE);
  });

  it('is none when it is malformed', () => {
    for (const traceparent of [
      undefined,
      '',
      of('ff'),
      of('00', '-more'),
      `${of('00')}, ${of('00')}`,
      of('00').toUpperCase(),
      `00-${'0'.repeat(32)}-${SPAN}-01`,
      `00-${TRACE}-${'0'.repeat(16)}-01`,
      of('01', `-${'x'.repeat(600)}`),
    ])
      expect(parentOf({ traceparent }), String(traceparent)).to.equal(undefined);
  });

  it('is written as it was read', () => {
    const headers = { traceparent: of('00'), tracestate: 'a=1' };
    const parent = parentOf(headers);
    expect(parent && headersOf(parent)).to.deep.equal(headers);
    expect(headersOf({ traceId: TRACE, spanId: SPAN, traceFlags: 0 })).to.deep.equal({
      traceparent: `00-${TRACE}-${SPAN}-00`,
    });
  });
});
