/** An API session as routers are told of it: the bytes that the general writer of its schema makes. */
import { create, toBinary } from '@bufbuild/protobuf';
import { expect } from 'chai';
import fc from 'fast-check';
import { encodeSession } from '../../fabric/sessions/session-messages.js';
import { ApiSessionAddedSchema } from '../../generated/fabric/edge_pb.js';

describe('an API session for routers', () => {
  it('has the bytes of its schema, whatever its certificates', () => {
    const text = fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, text, fc.array(text, { maxLength: 5 }), (id, identityId, token, certFingerprints) => {
        const general = toBinary(
          ApiSessionAddedSchema,
          create(ApiSessionAddedSchema, { apiSessions: [{ id, identityId, token, certFingerprints }] }),
        );
        const own = encodeSession({ id, identityId, fingerprints: certFingerprints }, token);
        expect(Buffer.from(own)).to.deep.equal(Buffer.from(general));
      }),
    );
  });
});
