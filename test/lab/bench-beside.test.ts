/** What the bench makes of two revisions that took turns. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { programIn } from '../../lab/bench/beside/beside.js';
import { besideHead, besideLine, besideNotes, besideRow, isBelow, isUnsure } from '../../lab/bench/beside/ratios.js';
import type { Turn } from '../../lab/bench/beside/ratios.js';
import { quantile } from '../../lab/bench/median.js';
import { UsageError } from '../../lab/bench/options.js';

const turn = (then: number, now: number, cpu = { then: 100, now: 100 }): Turn => ({
  then: { rate: then, controllerUs: cpu.then, postgresUs: cpu.then, bytes: 400 },
  now: { rate: now, controllerUs: cpu.now, postgresUs: cpu.now, bytes: 500 },
});
const rowOf = (ratios: readonly number[], isRead: boolean) =>
  besideRow(
    { name: isRead ? 'a read' : 'a write', connections: 16, isRead },
    ratios.map((ratio) => turn(1000, 1000 * ratio)),
  );

describe('revisions that take turns in the bench', () => {
  it('are compared turn by turn, so that a slow moment of the machine meets both', () => {
    const row = besideRow({ name: 'x', connections: 4, isRead: true }, [
      turn(1000, 1100),
      turn(100, 110, { then: 1000, now: 800 }),
      turn(2000, 2200),
    ]);
    expect(row.ratio).to.be.closeTo(1.1, 1e-9);
    expect(row.then).to.deep.equal({ rate: 1000, controllerUs: 100, postgresUs: 100, bytes: 400 });
    expect(row.now).to.deep.equal({ rate: 1100, controllerUs: 100, postgresUs: 100, bytes: 500 });
    expect([row.cpuRatio, row.bytesRatio]).to.deep.equal([1, 1.25]);
    expect(besideRow(row, [turn(1, 1, { then: 10, now: 15 })]).cpuRatio).to.equal(1.5);
  });

  it('have half of their turns between two quarters', () => {
    expect(quantile([1, 2, 3, 4, 5], 0.25)).to.equal(2);
    expect(quantile([1, 2], 0.5)).to.equal(1.5);
    expect(quantile([7], 0.75)).to.equal(7);
    expect(quantile([], 0.5)).to.be.NaN;
    const { low, high } = rowOf([0.5, 1.5, 0.9, 1, 1.1], true);
    expect([low, high].map((value) => value.toFixed(2))).to.deep.equal(['0.90', '1.10']);
  });

  const JUDGED: [ratios: number[], isRead: boolean, is: 'enough' | 'unsure' | 'below'][] = [
    [[0.9, 1, 1.1], true, 'enough'],
    [[0.9, 0.99, 1.1], true, 'unsure'],
    [[0.7, 0.9, 0.95], true, 'below'],
    [[0.7, 0.91, 0.95], false, 'enough'],
    [[0.7, 0.89, 0.95], false, 'unsure'],
    [[0.7, 0.8, 0.85], false, 'below'],
  ];
  for (const [ratios, isRead, is] of JUDGED)
    it(`${isRead ? 'reads' : 'writes'} with ${ratios.join(', ')} of the rate are ${is}`, () => {
      const row = rowOf(ratios, isRead);
      expect(isBelow(row) ? 'below' : isUnsure(row) ? 'unsure' : 'enough').to.equal(is);
    });

  it('are shown case by case, with those that are not fast enough in the end', () => {
    const rows = [rowOf([1.2, 1.2, 1.3], true), rowOf([0.6, 0.7, 0.8], false), rowOf([0.8, 0.95, 1.2], true)];
    const [head, ...lines] = [besideHead(), ...rows.map(besideLine)];
    expect(head).to.match(/^case +conn +then\/s +now\/s +ratio +half of turns +us then +us now +cpu +bytes$/);
    expect(lines[0]).to.match(/^a read +16 +1,000 +1,200 +1\.20 +1\.20 to 1\.25 +100\+100 +100\+100 +1\.00 +1\.25$/);
    expect(lines[1]).to.match(/^! a write +16 +1,000 +700 +0\.70 /);
    expect(lines[2]).to.match(/^\? a read /);
    expect(besideNotes(rows)).to.deep.equal([
      'wanted      reads at least 1, writes at least 0.9 of the rate of then',
      'reached     1 of 3',
      '? unsure    a read (16) 0.95',
      '! below     a write (16) 0.70',
    ]);
    expect(besideNotes(rows.slice(0, 1))).to.have.length(2);
  });

  it('are started by what their folder holds', () => {
    const dir = mkdtempSync(join(tmpdir(), 'edge-beside-'));
    const put = (file: string) => {
      mkdirSync(join(dir, file, '..'), { recursive: true });
      writeFileSync(join(dir, file), '');
    };
    try {
      expect(() => programIn(dir)).to.throw(UsageError, 'build it first');
      put('dist/server/main.js');
      expect(programIn(dir)).to.deep.equal([join(dir, 'dist/server/main.js')]);
      put('dist/commands/main.js');
      expect(programIn(dir)).to.deep.equal([join(dir, 'dist/commands/main.js'), 'start']);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
