import type { Duplex } from "node:stream";
import type { Client } from "pg";
import { type Pgoutput, PgoutputPlugin } from "pg-logical-replication";

/** A message without a meaning for the reader. */
const NOTHING: Pgoutput.Message = { tag: "origin", originLsn: null, originName: "" };

/** Parses the messages of pgoutput. Values of rows stay the text that the server sends. */
export class TextPlugin extends PgoutputPlugin {
  /** What is received, decrypted; undefined until the replication starts. */
  received: Duplex | undefined;
  readonly #onFailure: (error: unknown) => void;

  /** `onFailure` is called with a message that cannot be parsed, after which nothing that follows is complete. */
  constructor(publication: string, onFailure: (error: unknown) => void) {
    super({ protoVersion: 1, publicationNames: [publication], messages: true });
    this.#onFailure = onFailure;
  }

  /** Rejects a standby, which may have a slot of this name from a time when it was the primary. */
  override async start(client: Client, slotName: string, lastLsn: string): Promise<unknown> {
    const { rows } = await client.query<{ isStandby: boolean }>('SELECT pg_is_in_recovery() AS "isStandby"');
    if (rows[0]?.isStandby !== false)
      throw new Error("the server is in recovery: its slot is not the current one");
    this.received = client.connection.stream;
    return super.start(client, slotName, lastLsn);
  }

  /** Does not throw: the library calls it in an event of the socket, where an error would end the process. */
  override parse(buffer: Buffer): Pgoutput.Message {
    try {
      const message = super.parse(buffer);
      if (message.tag === "relation") for (const column of message.columns) column.parser = (text) => text;
      return message;
    } catch (error) {
      this.#onFailure(error);
      return NOTHING;
    }
  }
}
