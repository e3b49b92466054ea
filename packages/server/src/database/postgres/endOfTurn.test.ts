import { describe, expect, it } from "vitest";
import { endOfTurn } from "./endOfTurn.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe("the end of a turn of the event loop", () => {
  it("forgets before it sends, whatever was registered first", async () => {
    const calls: string[] = [];
    endOfTurn.send(() => calls.push("send"));
    endOfTurn.forget(() => calls.push("forget"));
    expect(calls).toEqual([]);
    await nextTurn();
    expect(calls).toEqual(["forget", "send"]);
  });

  it("leaves what is registered meanwhile to the next turn", async () => {
    const calls: string[] = [];
    endOfTurn.send(() => endOfTurn.send(() => calls.push("later")));
    await nextTurn();
    expect(calls).toEqual([]);
    await nextTurn();
    expect(calls).toEqual(["later"]);
  });
});
