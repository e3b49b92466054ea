import { expect, it } from "vitest";
import { createBlocks } from "../../test/fillIndex.ts";
import { createDatabase } from "../../test/indexDatabase.ts";
import { createRecordingLogger, startService } from "../../test/testService.ts";
import { indexLocationOf } from "../createChainService.ts";
import { openIndex } from "../store/openIndex.ts";
import { SCHEMA_VERSION } from "../store/schema.ts";

const CHAIN = 7_009;
/** More than one read beyond block 0. */
const START = 1_000;

it("blocks() begins with the first block of the index if it is asked for earlier ones", async () => {
  const { location, remove } = await createDatabase("SQLite");
  const index = await openIndex(indexLocationOf(location, CHAIN), createRecordingLogger());
  const built = { layout: SCHEMA_VERSION, scope: "chain", startBlock: START, wrapped: null };
  const definition = { ...built, ...index.eventDefinition };
  await index.writer.saveProperty("making", JSON.stringify(definition));
  await index.writer.append(
    undefined,
    createBlocks(START, START + 5, undefined, () => undefined),
    [],
  );
  await index.close();
  const config = { id: CHAIN, rpcUrls: ["http://127.0.0.1:9"], startBlock: START };
  const service = await startService(config, location);
  const { blocks } = service.service.blockReader(CHAIN);
  const numbers = async (from: number, to: number) =>
    (await blocks(from, to, 100))?.map(({ number }) => number);
  expect(await numbers(0, START + 4)).toEqual([START, START + 1, START + 2, START + 3, START + 4]);
  expect(await numbers(START + 3, START + 4)).toEqual([START + 3, START + 4]);
  expect(await numbers(0, START - 1)).toEqual([]);
  expect(await numbers(START + 5, START + 9)).toEqual([]);
  await service.stop();
  await remove();
});
