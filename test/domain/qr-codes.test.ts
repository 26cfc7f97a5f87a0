/** Pictures of second factors: drawn once for each text, also for many that ask at once, and again after a failure. */
import { expect } from 'chai';
import { YieldQueue } from '../../domain/scheduling/yield-queue.js';
import { QrCodes } from '../../handlers/qr-codes.js';

describe('QR codes', () => {
  const turns = () => new YieldQueue({ waiting: 1_000 });

  it('are drawn once for each text', async () => {
    const drawn: string[] = [];
    const codes = new QrCodes(turns(), async (text) => {
      drawn.push(text);
      return Buffer.from(text);
    });
    const pictures = await Promise.all(Array.from({ length: 200 }, (_, index) => codes.png(`text ${index % 2}`)));
    expect(pictures.map(String).slice(0, 3)).to.deep.equal(['text 0', 'text 1', 'text 0']);
    expect(drawn).to.deep.equal(['text 0', 'text 1']);
  });

  it('are drawn again when that failed, or when they are too many to be kept', async () => {
    let draws = 0;
    const codes = new QrCodes(turns(), async (text) => {
      draws += 1;
      if (draws === 1) throw new Error('no memory');
      return Buffer.from(text);
    });
    const failed = await codes.png('a').then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failed).to.be.instanceOf(Error);
    expect(String(await codes.png('a'))).to.equal('a');
    for (let index = 0; index < 500; index += 1) await codes.png(`other ${index}`);
    expect(draws).to.equal(502);
    await codes.png('a');
    expect(draws).to.equal(503);
  });

  it('are pictures', async () => {
    const picture = await new QrCodes(turns()).png('otpauth://totp/x?secret=ABC');
    expect(picture.subarray(0, 4).toString('latin1')).to.equal('\x89PNG');
  });
});
