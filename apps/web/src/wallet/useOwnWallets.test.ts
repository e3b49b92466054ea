import { expect, it } from "vitest";
import { ownWallets } from "./useOwnWallets.ts";

it("ownWallets() lists each EVM address once, in lower case and in order", () => {
  const first = `0x${"aB".repeat(20)}`;
  const second = `0x${"12".repeat(20)}`;
  const values = [null, first, second, first.toLowerCase(), undefined, "7xKX", 7];
  expect(ownWallets(values)).toEqual([first.toLowerCase(), second]);
});
