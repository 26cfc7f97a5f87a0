/** Asks all routers, one after another, whether they have what they were told. */
import { ChannelError } from '../channel/channel.js';
import type { ConnectedChannels } from '../channel/channel.js';
import type { NoteFailure } from '../channel/router-log.js';
import type { RouterModels } from './data-model.js';

export async function checkModels(
  channels: Pick<ConnectedChannels, 'all'>,
  models: Pick<RouterModels, 'check'>,
  noteFailure: NoteFailure,
): Promise<void> {
  for (const channel of [...channels.all()]) {
    try {
      await models.check(channel);
    } catch (error) {
      // A router that goes away meanwhile is told everything when it is back.
      if (error instanceof ChannelError) continue;
      noteFailure(error, { routerId: channel.routerId }, 'what a router has could not be compared');
    }
  }
}
