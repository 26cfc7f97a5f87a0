/** Traffic that ran through a stock router, against the sums that are kept of what it reports. */
import { expect } from 'chai';
import { startReachable } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { until } from '../support/poll.js';
import { StockNetwork, WAIT_MS } from '../support/stock-network.js';
import { describeStock } from '../support/unless.js';

const LINES = 400;
const LINE_BYTES = 5_000;
/** Of each piece of a TCP stream that is encrypted, as a part of what was said. */
const OVERHEAD = 1.1;
/** A router reports every minute, and a minute later it is written. */
const REPORTED_MS = 200_000;

interface Sum {
  readonly in: number;
  readonly out: number;
  readonly dials: number;
  readonly failed: number;
}

describeStock('usage as a stock router reports it', (binary) => {
  let controller: TestController;
  let network: StockNetwork;
  before(async () => {
    controller = await startReachable();
    network = await new StockNetwork(binary, controller).prepare();
  });
  after(async () => {
    await network.close();
    await controller.stop();
  });

  const sumOf = async (kind: string, id: string): Promise<Sum> => {
    const { rows } = await controller.database.query(
      `SELECT coalesce(sum(bytes_in), 0)::int AS in, coalesce(sum(bytes_out), 0)::int AS out,
        coalesce(sum(dials), 0)::int AS dials, coalesce(sum(failed_dials), 0)::int AS failed
       FROM usage_hours WHERE kind = $1 AND entity_id = $2`,
      [kind, id],
    );
    return rows[0] as unknown as Sum;
  };

  it('is what ran: bytes both ways, dials, and dials that failed', async () => {
    const made = await network.setup();
    await network.hosting(made, made.host);
    const talk = network.talk(await network.tunnel(made));
    await talk.echo('begins');
    for (let line = 0; line < LINES; line += 1) {
      talk.write(`${String(line).padStart(LINE_BYTES - 1, '.')}\n`);
      if (line % 20 === 19) await talk.echo(`so far ${line}`);
    }
    const silent = await network.setup();
    const refused = network.talk(await network.tunnel(silent));
    refused.write('is anybody there?\n');
    await until('the dial fails', () => !refused.isOpen(), WAIT_MS);

    const said = LINES * LINE_BYTES;
    const sum = await until(
      'the bytes are counted',
      async () => {
        const found = await sumOf('service', made.serviceId);
        return found.in >= said && found.out >= said ? found : undefined;
      },
      REPORTED_MS,
    ).catch(async (error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(await sumOf('service', made.serviceId))}`);
    });
    // The probe of whether the tunneler listens is a dial too.
    expect(sum).to.include({ dials: 2, failed: 0 });
    expect(sum.in).to.be.lessThan(said * OVERHEAD);
    expect(sum.out).to.be.lessThan(said * OVERHEAD);
    const none = await sumOf('service', silent.serviceId);
    expect(none.dials).to.be.greaterThan(0);
    expect(none).to.include({ in: 0, out: 0, failed: none.dials });
    const router = await sumOf('router', network.router.id);
    expect(router).to.include({ dials: sum.dials + none.dials, failed: none.failed });
    expect(router.in).to.equal(sum.in + sum.out);
  });
});
