import { expect, it } from "vitest";
import { query, rest, startPurse } from "../support/purse.ts";

it("loses no acknowledged object when it is killed while many are created", async () => {
  const purse = await startPurse();
  const acknowledged: string[] = [];
  let killed = false;
  const worker = async () => {
    while (!killed) {
      const answer = await rest(purse, "POST", "/classes/Kept", { n: acknowledged.length }).catch(
        () => undefined,
      );
      if (answer?.status === 201) acknowledged.push(String(answer.body.objectId));
    }
  };
  const workers = Array.from({ length: 16 }, worker);
  // In the middle of what is being written.
  await expect.poll(() => acknowledged.length, { timeout: 30_000, interval: 10 }).toBeGreaterThan(300);
  await purse.kill();
  killed = true;
  await Promise.all(workers);

  const again = await startPurse({ dataDir: purse.dataDir });
  try {
    const { body } = await rest(
      again,
      "GET",
      `/classes/Kept${query({ limit: 1_000_000, keys: "objectId" })}`,
    );
    const kept = new Set(
      Array.isArray(body.results) ? body.results.map((each) => JSON.stringify(each).slice(13, 23)) : [],
    );
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
  } finally {
    await again.remove();
  }
}, 60_000);
