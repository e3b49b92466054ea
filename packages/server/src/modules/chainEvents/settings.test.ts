import { parseAt } from "@purse/kernel";
import { expect, it } from "vitest";
import { eventWatchesSchema } from "./settings.ts";

const read = (watch: unknown) => parseAt("watch", eventWatchesSchema, watch);

it("watch of the config file is empty by default, and names an entry that is no object", () => {
  expect(read(undefined)).toEqual([]);
  expect(() => read([1])).toThrow('"watch[0]" of the config file');
});
