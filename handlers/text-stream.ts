/** Answers without an end of their own: text that is sent as it comes. */

/** Sink that the text is written to. */
export interface TextSink {
  /** Resolves when the connection has taken it. @throws Error when the reader is gone or was cut */
  send(text: string): Promise<void>;
}

export interface TextStream {
  /** Sends until it ends. Called once, unless `close` is. @throws Error of the sink */
  run(sink: TextSink): Promise<void>;
  /** Ends it soon, with a word for the reader; what was to be sent yet is not. */
  end(reason: EndReason): void;
  /** Gives up its place. Must be called in every case, and may be twice. */
  close(): void;
  /** Called when its reader is too far behind. */
  onOverrun?: () => void;
}

/** Why a stream ends: for its reader, who goes on from its last id. */
export type EndReason = 'caughtUp' | 'session' | 'stopping' | 'lost';
