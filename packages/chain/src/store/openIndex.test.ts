import { expect, it } from "vitest";
import { indexLocationOf } from "../createChainService.ts";
import { createDatabase } from "../testing/indexDatabase.ts";
import { createRecordingLogger } from "../testing/testService.ts";
import { openIndex } from "./openIndex.ts";

it("openIndex() without canLead opens a PostgreSQL index that another process has to write", async () => {
  const { location, remove } = await createDatabase("PostgreSQL");
  const open = (canLead: boolean) =>
    openIndex(indexLocationOf(location, 1), createRecordingLogger(), canLead);
  const reader = await open(false);
  expect(await reader.isLeader()).toBe(false);
  const leader = await open(true);
  expect(await leader.isLeader()).toBe(true);
  await leader.close();
  expect(await reader.isLeader()).toBe(false);
  await reader.close();
  await remove();
});
