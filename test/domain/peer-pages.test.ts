/** The messages by which a router that comes is told of all others. */
import { expect } from 'chai';
import { create, fromBinary } from '@bufbuild/protobuf';
import { PEERS_IN_MESSAGE, PeerPages } from '../../fabric/links/peer-pages.js';
import { peerBody } from '../../fabric/links/link-messages.js';
import { PeerStateChangeSchema, PeerStateChangesSchema } from '../../generated/fabric/control_pb.js';

describe('peers in messages that routers share', () => {
  const bodyOf = (id: string, version = '1') => peerBody(create(PeerStateChangeSchema, { id, version }));
  const pages = (count: number) => {
    const made = new PeerPages();
    for (let n = 0; n < count; n += 1) made.set(`r${n}`, bodyOf(`r${n}`));
    return made;
  };
  const told = (made: PeerPages) =>
    made
      .messages()
      .map(({ body }) => fromBinary(PeerStateChangesSchema, body).changes.map(({ id, version }) => id + version));

  it('hold so many each, and the same bytes for all who come', () => {
    const made = pages(PEERS_IN_MESSAGE + 2);
    expect(told(made).map(({ length }) => length)).to.deep.equal([PEERS_IN_MESSAGE, 2]);
    const first = made.messages();
    expect(made.messages().every(({ body }, index) => body === first[index]?.body)).to.equal(true);
  });

  it('say the last of each, and leave the other messages as they were', () => {
    const made = pages(PEERS_IN_MESSAGE + 2);
    const [, second] = made.messages();
    made.set('r0', bodyOf('r0', '2'));
    expect(told(made)[0]?.filter((text) => text.startsWith('r0'))).to.deep.equal(['r02']);
    expect(made.messages()[1]?.body).to.equal(second?.body);
  });

  it('leave out those that have gone, and fill their places', () => {
    const made = pages(PEERS_IN_MESSAGE + 1);
    made.delete(`r${PEERS_IN_MESSAGE}`);
    made.delete('r1');
    made.delete('r1');
    expect(told(made).map(({ length }) => length)).to.deep.equal([PEERS_IN_MESSAGE - 1]);
    made.set('other', bodyOf('other'));
    expect(told(made).flat()).to.have.length(PEERS_IN_MESSAGE).and.include('other1').and.not.include('r11');
  });

  it('are none where there is nobody', () => {
    expect(new PeerPages().messages()).to.deep.equal([]);
  });
});
