/** The block nearest to a date, with its time in seconds since 1970. */
export type FindBlock = (date: Date) => Promise<{ block: number; timestamp: number }>;

/**
 * The latest block at a time, in seconds since 1970: what it says is valid until the next one, however much later that is.
 * Undefined before the first block.
 */
export async function lastBlockAt(seconds: number, find: FindBlock): Promise<number | undefined> {
  const { block, timestamp } = await find(new Date(seconds * 1000));
  if (timestamp <= seconds) return block;
  // It is nearest and later, so that the one before it is the latest.
  const first = await find(new Date(0));
  return block > first.block ? block - 1 : undefined;
}
