/**
 * The fabric by the field's own command line, with stock routers that carry a connection. Needs the `ziti` binary: see
 * test/support/stock-binary.ts.
 */
import { expect } from 'chai';
import { CommandLine } from '../support/command-line.js';
import { startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { until } from '../support/poll.js';
import { StockNetwork } from '../support/stock-network.js';
import type { Talk } from '../support/stock-network.js';
import { describeStockCore } from '../support/unless.js';
import type { ZitiRouter } from '../support/ziti.js';

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly [member: string]: unknown;
}

interface Checked {
  readonly appId: string;
  readonly value: { readonly differences: number };
}

describeStockCore('ziti fabric', (binary) => {
  let controller: TestController;
  let network: StockNetwork;
  let [near, far]: ZitiRouter[] = [];
  let talk: Talk;

  const fabric = (...args: string[]) => network.ziti.run('fabric', ...args, '--timeout', '60');
  const list = async (...args: string[]) =>
    (JSON.parse(await fabric('list', ...args, '-j')) as { data: readonly Shown[] }).data;

  before(async () => {
    controller = await startReachable();
    network = new StockNetwork(binary, controller, 'none');
    await network.policy('service-edge-router-policies', { serviceRoles: ['#all'], edgeRouterRoles: ['#all'] });
    near = await network.ziti.router('near');
    far = await network.ziti.router('far');
    const made = await network.apart();
    const port = await network.tunnel(made);
    await network.dialsAgain(port);
    talk = network.talk(port);
    await talk.echo('hello');
    await CommandLine.login(network.ziti, controller);
  });
  after(async () => {
    talk.close();
    await network.close();
    await controller.stop();
  });

  it('lists routers, links, circuits, services and terminators', async () => {
    const routers = await list('routers', 'sort by name');
    expect(routers.map(({ id }) => id)).to.have.members([near?.id, far?.id]);
    expect(routers.map(({ connected }) => connected)).to.deep.equal([true, true]);
    await until('the link is shown', async () => (await list('links')).length > 0);
    await until('the circuit is shown', async () => (await list('circuits')).length > 0);
    const [circuit] = await list('circuits');
    expect((circuit?.['path'] as { nodes: readonly Shown[] }).nodes.map(({ id }) => id)).to.deep.equal([
      near?.id,
      far?.id,
    ]);
    expect(await list('services')).to.have.length(1);
    expect(await list('terminators')).to.have.length(1);
    for (const kind of ['routers', 'links', 'circuits', 'services', 'terminators']) await fabric('list', kind);
    await fabric('list', 'circuits', `service = "${(await list('services'))[0]?.id ?? ''}"`);
  });

  it('makes, changes and deletes services and terminators', async () => {
    const name = unique('fabric-service');
    await fabric('create', 'service', name, '--terminator-strategy', 'weighted');
    await fabric('update', 'service', name, '--terminator-strategy', 'random');
    const [service] = await list('services', `name = "${name}"`);
    expect(service).to.include({ terminatorStrategy: 'random' });
    await fabric('create', 'terminator', name, near?.name ?? '', 'tcp:localhost:1', '--binding', 'transport');
    const [terminator] = await list('terminators', `service = "${service?.id ?? ''}"`);
    await fabric('update', 'terminator', terminator?.id ?? '', '--cost', '7');
    expect((await list('terminators', `id = "${terminator?.id ?? ''}"`))[0]).to.include({ cost: 7 });
    await fabric('delete', 'terminator', terminator?.id ?? '');
    await fabric('delete', 'service', name);
    expect(await list('services', `name = "${name}"`)).to.deep.equal([]);
  });

  it('changes routers and links', async () => {
    await fabric('update', 'router', near?.name ?? '', '--cost', '3');
    expect((await list('routers', `id = "${near?.id ?? ''}"`))[0]).to.include({ cost: 3 });
    const [link] = await list('links');
    await fabric('update', 'link', link?.id ?? '', '--static-cost', '9');
    await until('the cost holds', async () => (await list('links'))[0]?.['staticCost'] === 9);
    await talk.echo('still here');
  });

  it('takes a snapshot and checks the data', async () => {
    await fabric('db', 'snapshot');
    await fabric('db', 'start-check-integrity');
    await fabric('db', 'check-integrity-status');
  });

  it('looks into routers', async () => {
    expect(await fabric('inspect', 'links')).to.contain(near?.id);
    expect(await fabric('inspect', 'connected-routers')).to.contain(far?.id);
  });

  it('compares what routers were told with what they have', async () => {
    await until('both have what they were told', async () => {
      const found = JSON.parse(await fabric('inspect', '.*', 'model-check', '-j')) as { values?: readonly Checked[] };
      const same = (found.values ?? []).filter(({ value }) => value.differences === 0).map(({ appId }) => appId);
      return [near?.id, far?.id].every((id) => id !== undefined && same.includes(id));
    });
  });

  it('compares what routers have with what is known here', async () => {
    for (const kind of ['router-links', 'circuits']) {
      // A circuit whose client has just gone may still be at its routers: that counts as an error.
      const validate = () => fabric('validate', kind, 'true', '--include-valid-routers').catch(String);
      const output = await until(`${kind} are the same`, async () => {
        const said = await validate();
        return said.includes('0 errors found') ? said : undefined;
      });
      expect(output).to.contain('started validation of 2 routers');
      for (const router of [near, far]) expect(output).to.contain(router?.id);
    }
    for (const kind of ['router-sdk-terminators', 'router-ert-terminators', 'router-data-model'])
      await until(`${kind} are the same`, async () =>
        (await fabric('validate', kind, 'true').catch(String)).includes('0 errors found'),
      );
    await until('connections are the same', async () =>
      (await fabric('validate', 'identity-connection-statuses', 'true').catch(String)).includes('0 errors found'),
    );
    expect(await fabric('validate', 'terminators', '--include-valid')).to.match(/binding: edge, .*state: Valid/);
    expect(await fabric('validate', 'controller-dialers')).to.contain('0 components');
    const fixing = network.ziti.start('fabric', 'validate', 'terminators', '--fix-invalid');
    expect(await fixing.ended).to.not.equal(0);
    expect(fixing.output()).to.contain('none is removed here');
  });

  it('ends a circuit, which a stream of events tells', async () => {
    const stream = network.ziti.start('fabric', 'stream', 'events', '--all', '--verbose');
    await until('it has started', () => stream.output().includes('event streaming started: success'));
    await until('it counts', () => stream.output().includes('"namespace":"entityCount"'));
    const [circuit] = await list('circuits');
    await fabric('delete', 'circuit', circuit?.id ?? '');
    await until('the circuit is gone', async () => !(await list('circuits')).some(({ id }) => id === circuit?.id));
    const isTold = (line: string) => line.includes('"event_type":"deleted"') && line.includes(circuit?.id ?? '-');
    await until('the stream tells it', () => stream.output().split('\n').some(isTold));
    await stream.kill();
  });

  it('streams events of sessions, and of what routers measure within a minute', async () => {
    const kinds = ['api-sessions', 'sessions', 'services', 'usage', 'metrics', 'cluster'].map((kind) => `--${kind}`);
    const stream = network.ziti.start('fabric', 'stream', 'events', ...kinds, '--verbose');
    await until('it has started', () => stream.output().includes('event streaming started: success'));
    const isTold = (...words: readonly string[]) =>
      stream
        .output()
        .split('\n')
        .some((line) => words.every((word) => line.includes(word)));
    await controller.newCaller();
    await until('a login is told', () => isTold('"apiSession"', '"created"'));
    await talk.echo('counted');
    await until('metrics come', () => isTold('"metrics"', '"source_id"', near?.id ?? '-'), 150_000);
    await until('bytes of a circuit come', () => isTold('"usage"', '"circuit_id"'), 150_000);
    await stream.kill();
  });
});
