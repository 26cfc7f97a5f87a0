/** What a controller's heap holds when nothing is left to collect, asked through the inspector of its Node.js. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { until } from '../support/poll.js';

interface Reply {
  readonly id?: number;
  readonly result?: { readonly result?: { readonly value?: unknown } };
}

/** Without what V8 compiles, which goes on for hours: the more often a function runs, the more it makes of it. */
const HELD = `(({ getHeapStatistics, getHeapCodeStatistics }) => {
  const code = getHeapCodeStatistics();
  return getHeapStatistics().used_heap_size - code.code_and_metadata_size - code.bytecode_and_metadata_size;
})(process.getBuiltinModule('v8'))`;

/** What starts a process whose inspector listens at the port once it is asked to. */
export const inspectableAt = (port: number): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--inspect-port=127.0.0.1:${port}`,
});

interface Waiting {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

export class Heap {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (text: Buffer) => {
      const reply = JSON.parse(text.toString()) as Reply;
      if (reply.id !== undefined) this.#waiting.get(reply.id)?.resolve(reply);
    });
    // A process that is killed takes it along.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the inspector has gone'));
    });
  }

  /** @param pid  of a process that was started with `inspectableAt(port)` */
  static async of(pid: number, port: number): Promise<Heap> {
    process.kill(pid, 'SIGUSR1');
    const url = await until('the inspector answers', async () => {
      const targets = await fetch(`http://127.0.0.1:${port}/json`).catch(() => undefined);
      const [target] = ((await targets?.json()) ?? []) as { webSocketDebuggerUrl: string }[];
      return target?.webSocketDebuggerUrl;
    });
    const socket = new WebSocket(url);
    await once(socket, 'open');
    return new Heap(socket);
  }

  /** Bytes of data after a collection of all garbage. Twice: what the first finalizes is free after the second. */
  async held(): Promise<number> {
    await this.#send('HeapProfiler.collectGarbage');
    await this.#send('HeapProfiler.collectGarbage');
    const { result } = await this.#send('Runtime.evaluate', { expression: HELD, returnByValue: true });
    const held = result?.result?.value;
    if (typeof held !== 'number') throw new Error('the inspector does not say how much the heap holds');
    return held;
  }

  close(): void {
    this.#socket.terminate();
  }

  async #send(method: string, params: object = {}): Promise<Reply> {
    const id = (this.#last += 1);
    try {
      return await new Promise<Reply>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        this.#socket.send(JSON.stringify({ id, method, params }), (error) => {
          if (error) reject(error);
        });
      });
    } finally {
      this.#waiting.delete(id);
    }
  }
}
