/** Where a router is reached, by what it says; and what the log says of those who are refused. */
import { Writable } from 'node:stream';
import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { pino } from 'pino';
import { reachOf } from '../../fabric/traffic/reach.js';
import { RefusalLog } from '../../fabric/channel/refusals.js';
import { ClientHelloSchema } from '../../generated/fabric/edge_pb.js';

describe('where a router is reached', () => {
  const reach = (hello: MessageInitShape<typeof ClientHelloSchema>, serverNames: readonly string[] | null = null) =>
    reachOf(create(ClientHelloSchema, hello), serverNames);
  const listener = (hostname: string, port: number, protocol = 'tls') => ({ advertise: { protocol, hostname, port } });

  it('is what its listeners advertise', () => {
    expect(
      reach({ hostname: 'r.example', listeners: [listener('r.example', 3022), listener('r.example', 443, 'wss')] }),
    ).to.deep.equal({
      hostname: 'r.example',
      protocols: { tls: 'tls://r.example:3022', wss: 'wss://r.example:443' },
      unusable: 0,
      uncertified: [],
    });
  });

  it('is what its protocols and ports say, when it names no listeners', () => {
    expect(reach({ hostname: 'r.example', protocols: ['tls'], protocolPorts: ['3022'] }).protocols).to.deep.equal({
      tls: 'tls://r.example:3022',
    });
  });

  it('may be an address', () => {
    expect(reach({ listeners: [listener('::1', 3022)] }).protocols).to.deep.equal({ tls: 'tls://[::1]:3022' });
  });

  const unusable: [name: string, hello: MessageInitShape<typeof ClientHelloSchema>][] = [
    ['no port', { listeners: [listener('r.example', 0)] }],
    ['a port beyond the last', { listeners: [listener('r.example', 65_536)] }],
    ['a host with a path', { listeners: [listener('r.example/evil', 443)] }],
    ['a host with a user', { listeners: [listener('a@b', 443)] }],
    ['no host', { listeners: [listener('', 443)] }],
    ['a protocol with a line end', { listeners: [listener('r.example', 443, 'tls\n')] }],
    ['an empty listener', { listeners: [{}] }],
    ['a protocol without its port', { hostname: 'r.example', protocols: ['tls'] }],
  ];
  for (const [name, hello] of unusable) {
    it(`is not where it says with ${name}`, () => {
      expect(reach(hello)).to.deep.include({ protocols: {}, unusable: 1 });
    });
  }

  it('is compared with its certificate', () => {
    const hello = { listeners: [listener('r.example', 443), listener('other.example', 444, 'wss')] };
    expect(reach(hello, ['r.example']).uncertified).to.deep.equal(['other.example']);
    expect(reach(hello, null).uncertified).to.deep.equal([]);
  });
});

describe('the log of refusals', () => {
  const written = () => {
    const lines: Record<string, unknown>[] = [];
    const stream = new Writable({
      write(chunk: Buffer, _, done) {
        lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
        done();
      },
    });
    let now = 0;
    const log = pino({}, stream);
    const noteFailure = (error: unknown, facts: object, message: string) => {
      log.warn({ err: error, ...facts }, message);
    };
    const refusals = new RefusalLog({ log, noteFailure }, () => now);
    return {
      lines,
      refusals,
      pass: (ms: number) => {
        now += ms;
      },
    };
  };

  it('has each kind once, and later how often it came again', () => {
    const { lines, refusals, pass } = written();
    for (let times = 0; times < 1_000; times += 1) refusals.note('it is disabled', 'r1', '10.0.0.1');
    refusals.note('it is disabled', 'r2', '10.0.0.2');
    expect(lines.map(({ routerId, reason }) => [routerId, reason])).to.deep.equal([
      ['r1', 'it is disabled'],
      ['r2', 'it is disabled'],
    ]);
    pass(60_000);
    refusals.note('it is disabled', 'r1', '10.0.0.1');
    expect(lines[2]).to.include({ repeated: 999 });
  });

  it('has one line a minute of those that could not be checked', () => {
    const { lines, refusals, pass } = written();
    for (let times = 0; times < 1_000; times += 1) refusals.noteUnchecked(new Error('no database'), '10.0.0.1');
    expect(lines).to.have.length(1);
    pass(60_000);
    refusals.noteUnchecked(new Error('no database'), '10.0.0.1');
    expect(lines[1]).to.include({ repeated: 999 });
  });

  it('is bounded, however many kinds there are', () => {
    const { lines, refusals } = written();
    for (let kind = 0; kind < 10_000; kind += 1) refusals.note(`a body of ${kind} bytes`, undefined, '10.0.0.1');
    expect(lines).to.have.length(100);
  });
});
