import { expect, it } from "vitest";
import { mapInSlices } from "./mapInSlices.ts";

/** Occupies the thread. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

it("long conversions let others run in between, and keep the order of the items", async () => {
  const order: string[] = [];
  const converted = mapInSlices([1, 2, 3], (item, index) => {
    order.push(`item ${index}`);
    work(8);
    return item * 10;
  });
  setImmediate(() => order.push("other"));
  expect(await converted).toEqual([10, 20, 30]);
  expect(order.indexOf("other")).toBeLessThan(order.indexOf("item 2"));
});
